import { useEffect, useState } from "preact/hooks";
import { ProblemError, wordsOf } from "../api";
import { type HeldKey, lostKey } from "../keys";
import { useStore } from "../store";
import { Button } from "../ui/Button";
import { Field } from "../ui/Field";
import { Note } from "../ui/Note";
import { loadSite, signInWithAccess, site } from "./access";
import { signIn } from "./session";

interface Props {
  /** Which keys help here, in words: "an approver or admin key". */
  readonly wanted: string;
  readonly onDone?: (key?: HeldKey) => void;
}

/** The form that takes a key. It is used as a page of its own and inside of the keys dialog. */
export function SignIn({ wanted, onDone }: Props) {
  const [text, setText] = useState("");
  const [kept, setKept] = useState(false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const lost = useStore(lostKey);
  const withAccess = useStore(site)?.access === true;
  // Without an answer there is no button; pasting a key says what is wrong.
  useEffect(() => void loadSite().catch(() => undefined), []);

  const run = async (work: () => Promise<HeldKey | void>): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      const key = await work();
      setText("");
      onDone?.(key ?? undefined);
    } catch (problem) {
      const unknown = problem instanceof ProblemError && problem.status === 401;
      setFault(unknown ? "The gateway does not know this key. It may be cut off, revoked or of another gateway." : wordsOf(problem));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void run(() => signIn(text, kept));
      }}
    >
      {lost !== undefined && <Note kind="warn">{lost}</Note>}
      <Field label="Key" hint={`Paste ${wanted}. It goes to this gateway alone.`} error={fault}>
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
          <Button busy={busy} onClick={() => void run(signInWithAccess)}>
            Sign in with Cloudflare Access
          </Button>
        )}
      </div>
    </form>
  );
}
