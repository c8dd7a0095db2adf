import { heldKeys } from "../shared/keys";
import { SignIn } from "../shared/signin/SignIn";
import { useStore } from "../shared/store";
import { Shell } from "../shared/ui/Shell";

export function Console() {
  const keys = useStore(heldKeys);
  return <Shell page="console">{keys.length === 0 ? <SignIn wanted="an admin or approver key" /> : <h1>Console</h1>}</Shell>;
}
