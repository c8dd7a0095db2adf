import { useState } from "preact/hooks";
import { path } from "../../shared/api";
import { useForm } from "../../shared/form";
import type { HeldKey } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { Link, navigate } from "../../shared/router";
import { Badge } from "../../shared/ui/Badge";
import { Fault } from "../../shared/ui/Fault";
import { Field } from "../../shared/ui/Field";
import { FormEnd } from "../../shared/ui/FormEnd";
import { Note } from "../../shared/ui/Note";
import { Seen } from "../../shared/ui/Seen";
import { Table } from "../../shared/ui/Table";
import { toast } from "../../shared/ui/Toast";
import { NewName } from "../NewName";
import { useTitle } from "../title";
import { EffectBadge } from "../words";
import { type Access, type Agent, grantsOf, modelWords, readAccess, saveAgent, savedWords } from "./access";
import { Checks } from "./Checks";
import { DemoBadge } from "./DemoBadge";
import { type ModelChoice, ModelField, modelBody, modelChoice } from "./ModelField";

/** One agent, or a new one: what it holds, how tools are offered to it, and which model the chat drives. */
export function AgentPage({ admin, name }: { readonly admin: HeldKey; readonly name: string | undefined }) {
  const { value, fault, reload } = useLoad((signal) => readAccess(admin, signal), [admin.id, name]);
  useTitle(name ?? "New agent");
  const agent = value?.agents.find((each) => each.name === name);
  return (
    <section class="stack narrow">
      <p>
        <Link href="/console/agents">Agents and capabilities</Link>
      </p>
      <h1>{name === undefined ? "New agent" : <Seen text={name} />}</h1>
      {fault !== undefined && <Fault fault={fault} again={reload} />}
      {value !== undefined && name !== undefined && agent === undefined && <Note kind="warn">There is no agent of this name.</Note>}
      {agent !== undefined && (
        <p class="row">
          <span>Model of the chat:</span>
          <DemoBadge agent={agent} />
          <Seen text={modelWords(agent)} />
        </p>
      )}
      {value !== undefined && agent !== undefined && <Grants agent={agent} access={value} />}
      {value !== undefined && (agent !== undefined || name === undefined) && <Form key={name} admin={admin} agent={agent} access={value} onSaved={reload} />}
    </section>
  );
}

function Grants({ agent, access }: { readonly agent: Agent; readonly access: Access }) {
  const grants = [...grantsOf(agent, access.capabilities)];
  if (grants.length === 0) return <Note kind="warn">It holds no tool: every call of it is refused.</Note>;
  return (
    <>
      <h2>What it may call</h2>
      <Table label="Grants" head={["Tool", "Class", "By", "State"]}>
        {grants.map(([name, by]) => {
          const tool = access.tools.find((each) => each.name === name);
          return (
            <tr key={name}>
              <td>
                <Link href={path`/console/tools/${name}`}>
                  <Seen text={name} />
                </Link>
              </td>
              <td>{tool !== undefined && <EffectBadge effect={tool.definition.side_effect} />}</td>
              <td>
                {by.map((capability) => (
                  <span key={capability}>
                    <Link href={path`/console/capabilities/${capability}`}>
                      <Seen text={capability} />
                    </Link>{" "}
                  </span>
                ))}
              </td>
              <td>
                <span class="row">
                  <Badge tone={tool?.enabled ? "good" : "neutral"}>{tool?.enabled ? "enabled" : "disabled"}</Badge>
                  {agent.pinned_tools.includes(name) && <Badge tone="info">pinned</Badge>}
                </span>
              </td>
            </tr>
          );
        })}
      </Table>
    </>
  );
}

interface FormProps {
  readonly admin: HeldKey;
  readonly agent: Agent | undefined;
  readonly access: Access;
  readonly onSaved: () => void;
}

function Form({ admin, agent, access, onSaved }: FormProps) {
  const [name, setName] = useState(agent?.name ?? "");
  const [capabilities, setCapabilities] = useState(agent?.capabilities ?? []);
  const [pinned, setPinned] = useState(agent?.pinned_tools ?? []);
  const [budget, setBudget] = useState(agent?.offer_budget_tokens?.toString() ?? "");
  const [instructions, setInstructions] = useState(agent?.instructions ?? "");
  const [dataset, setDataset] = useState(agent?.dataset ?? "");
  const [model, setModel] = useState<ModelChoice>(modelChoice(agent?.model));
  const granted = [...grantsOf({ name, capabilities, pinned_tools: [] }, access.capabilities).keys()];

  const save = async (): Promise<void> => {
    const saved = await saveAgent(admin, name, {
      capabilities,
      ...(pinned.length > 0 && { pinned_tools: pinned }),
      ...(budget.trim() !== "" && { offer_budget_tokens: Number(budget) }),
      ...(instructions !== "" && { instructions }),
      ...(dataset.trim() !== "" && { dataset: dataset.trim() }),
      // Said by API alone so far: what is not edited here stays.
      ...(agent?.mcp !== undefined && { mcp: agent.mcp }),
      ...modelBody(model),
    });
    toast(savedWords(`The agent ${name}`, saved));
    // What was typed stays, but for a key, which nobody reads again.
    setModel(modelChoice(saved.model));
    if (agent === undefined) navigate(path`/console/agents/${name}`);
    else onSaved();
  };
  const form = useForm(save);
  return (
    <form class="card" onSubmit={form.onSubmit}>
      <h2>{agent === undefined ? "What it is" : "Change it"}</h2>
      {agent === undefined && (
        <NewName name={name} onChange={setName} />
      )}
      <Checks legend="Capabilities" names={access.capabilities.map((each) => each.name)} chosen={capabilities} onChange={setCapabilities} empty="There is no capability yet." />
      <Checks legend="Pinned tools: offered in every turn" names={granted} chosen={pinned} onChange={setPinned} empty="A tool can be pinned once a capability grants it." />
      <Field label="Budget of an offer, in tokens" hint="Empty: 4,000.">
        {(ids) => <input {...ids} class="short" type="number" min="1" step="1" value={budget} onInput={(event) => setBudget(event.currentTarget.value)} />}
      </Field>
      <ModelField model={model} onChange={setModel} />
      <Field label="Instructions" hint="What the model is told at the beginning of every chat.">
        {(ids) => <textarea {...ids} value={instructions} onInput={(event) => setInstructions(event.currentTarget.value)} />}
      </Field>
      <Field label="Data set" hint="The one that its database tools read; empty for none.">
        {(ids) => <input {...ids} class="short" autocomplete="off" value={dataset} onInput={(event) => setDataset(event.currentTarget.value)} />}
      </Field>
      <FormEnd form={form} word="Save" />
    </form>
  );
}
