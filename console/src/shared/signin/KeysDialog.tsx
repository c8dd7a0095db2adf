import { dropAllKeys, dropKey, heldKeys } from "../keys";
import { useStore } from "../store";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Seen } from "../ui/Seen";
import { SignIn } from "./SignIn";

/** The keys that are held, each with a way to forget it, and the form for one more. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const keys = useStore(heldKeys);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <p class="quiet">Each key has one role. Hold several to decide, call and administer from one page.</p>
      {keys.length > 0 && (
        <ul class="list">
          {keys.map((key) => (
            <li key={key.id} class="row spread">
              <span>
                <Badge>{key.role}</Badge> <Seen text={key.name} />
                {key.agent !== undefined && <span class="quiet"> for {key.agent}</span>}
                <span class="quiet"> · {key.kept ? "kept on this device" : "this tab"}</span>
              </span>
              <Button small onClick={() => dropKey(key.id)} label={`Forget the ${key.role} key ${key.name}`}>
                Forget
              </Button>
            </li>
          ))}
        </ul>
      )}
      {keys.length > 1 && (
        <div class="row">
          <Button small onClick={dropAllKeys}>
            Forget all
          </Button>
        </div>
      )}
      <h3>Add a key</h3>
      <SignIn wanted="another key of this org" />
    </Dialog>
  );
}
