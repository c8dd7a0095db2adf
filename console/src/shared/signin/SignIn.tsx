import { useEffect, useState } from "preact/hooks";
import { useAction } from "../action";
import { ProblemError, wordsOf } from "../api";
import { useForm } from "../form";
import { lostKey } from "../keys";
import { useStore } from "../store";
import { Button } from "../ui/Button";
import { Fault } from "../ui/Fault";
import { Field } from "../ui/Field";
import { Note } from "../ui/Note";
import { loadSite, signInWithAccess, site } from "./access";
import { signIn } from "./session";

/** Why a key was not taken, in words. */
function keyFault(fault: unknown): string | undefined {
  if (fault === undefined) return undefined;
  const unknown = fault instanceof ProblemError && fault.status === 401;
  return unknown ? "The gateway does not know this key. It may be cut off, revoked or of another gateway." : wordsOf(fault);
}

/** The form that takes a key; `wanted` says which keys help here: "an approver or admin key". It is a page of its own and a part of the keys dialog. */
export function SignIn({ wanted }: { readonly wanted: string }) {
  const [text, setText] = useState("");
  const [kept, setKept] = useState(false);
  const form = useForm(async () => {
    await signIn(text, kept);
    setText("");
  });
  const access = useAction();
  const lost = useStore(lostKey);
  const withAccess = useStore(site)?.access === true;
  // Without an answer there is no button; pasting a key says what is wrong.
  useEffect(() => void loadSite().catch(() => undefined), []);
  const busy = form.busy || access.busy;
  return (
    <form class="stack" onSubmit={form.onSubmit}>
      {lost !== undefined && <Note kind="warn">{lost}</Note>}
      <Field label="Key" hint={`Paste ${wanted}. It goes to this gateway alone.`} error={keyFault(form.fault)}>
        {(ids) => (
          <input {...ids} type="password" autocomplete="off" spellcheck={false} required value={text} onInput={(event) => setText(event.currentTarget.value)} />
        )}
      </Field>
      <label class="check">
        <input type="checkbox" checked={kept} onChange={(event) => setKept(event.currentTarget.checked)} />
        Keep on this device. Otherwise the key is forgotten with this tab.
      </label>
      <div class="row">
        <Button kind="primary" type="submit" busy={busy}>
          Sign in
        </Button>
        {withAccess && (
          <Button busy={busy} onClick={() => void access.run(signInWithAccess)}>
            Sign in with Cloudflare Access
          </Button>
        )}
      </div>
      {access.fault !== undefined && <Fault fault={access.fault} />}
    </form>
  );
}
