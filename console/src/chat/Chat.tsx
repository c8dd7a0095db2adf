import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, path } from "../shared/api";
import { type HeldKey, heldKeys } from "../shared/keys";
import { useLoad } from "../shared/load";
import { match, navigate, usePlace } from "../shared/router";
import { SignIn } from "../shared/signin/SignIn";
import { Store, useStore } from "../shared/store";
import { Fault } from "../shared/ui/Fault";
import { Shell } from "../shared/ui/Shell";
import { Agents } from "./Agents";
import type { Capabilities } from "./capabilities";
import { Conversing } from "./Conversing";
import { Threads } from "./Threads";

const CHOSEN = "toolgate.chat.key";
/** The agent key that is used, by its id. */
const chosen = new Store<string | undefined>(sessionStorage.getItem(CHOSEN) ?? undefined);

function choose(keyId: string): void {
  sessionStorage.setItem(CHOSEN, keyId);
  chosen.set(keyId);
  navigate("/chat");
}

export function Chat() {
  const keys = useStore(heldKeys);
  const wanted = useStore(chosen);
  const agentKeys = keys.filter((key) => key.role === "agent" && key.agent !== undefined);
  const key = agentKeys.find((one) => one.id === wanted) ?? agentKeys[0];
  if (key === undefined) {
    return (
      <Shell page="chat">
        <div class="narrow stack">
          <h1>Chat with an agent</h1>
          {keys.length === 0 ? (
            <>
              <p class="quiet">The page speaks as an agent, for one person. An agent key says both. With an admin key you can make one here.</p>
              <SignIn wanted="an agent key, or an admin key" />
            </>
          ) : (
            <Agents keys={agentKeys} current={undefined} onChoose={choose} />
          )}
        </div>
      </Shell>
    );
  }
  return <WithAgent key={key.id} held={key} keys={agentKeys} />;
}

/** An id for a thread that is not there yet. */
function freshThread(): string {
  return `th_${crypto.randomUUID().replaceAll("-", "")}`;
}

function WithAgent({ held, keys }: { readonly held: HeldKey; readonly keys: readonly HeldKey[] }) {
  const place = usePlace();
  const named = match("/chat/:thread", place.path)?.["thread"];
  const [fresh, setFresh] = useState(freshThread);
  const thread = named ?? fresh;
  // "New chat" after the fresh one was begun: another fresh one.
  const begun = useRef(false);
  useEffect(() => {
    if (named === fresh) begun.current = true;
    else if (named === undefined && begun.current) {
      begun.current = false;
      setFresh(freshThread());
    }
  }, [named]);
  const capabilities = useLoad((signal) => get<Capabilities>(path`/v1/agents/${held.agent ?? ""}/agui`, { key: held, signal, raw: ["tools.items.*.parameters"] }), [held.id]);
  const [changes, setChanges] = useState(0);
  const screen = useMemo(() => {
    const [context_type, context_id] = [place.query.get("context_type"), place.query.get("context_id")];
    if (context_type === null || context_type === "") return undefined;
    // A screen that is about no one thing has no id.
    return { context_type, ...(context_id !== null && context_id !== "" && { context_id }) };
  }, [place.query]);
  // On a narrow screen the list is folded away until it is asked for.
  const [folded, setFolded] = useState(true);
  useEffect(() => setFolded(true), [thread]);
  const side = (
    <aside id="side" class={folded ? "side folded" : "side"} aria-label="Agents and conversations">
      <Agents keys={keys} current={held} onChoose={choose} />
      <Threads held={held} current={thread} changes={changes} />
    </aside>
  );
  return (
    <Shell page="chat" side={side}>
      <button type="button" class="button small unfold" aria-expanded={!folded} aria-controls="side" onClick={() => setFolded(!folded)}>
        Agents and conversations
      </button>
      {capabilities.fault !== undefined && <Fault fault={capabilities.fault} again={capabilities.reload} />}
      <Conversing
        key={thread}
        held={held}
        thread={thread}
        fresh={thread === fresh}
        capabilities={capabilities.value}
        screen={screen}
        onBegun={() => named !== thread && navigate(`/chat/${thread}${location.search}`, { replace: true })}
        onChange={() => setChanges((before) => before + 1)}
      />
    </Shell>
  );
}
