import { heldKeys } from "../shared/keys";
import { SignIn } from "../shared/signin/SignIn";
import { useStore } from "../shared/store";
import { Shell } from "../shared/ui/Shell";

export function Chat() {
  const keys = useStore(heldKeys);
  return <Shell page="chat">{keys.length === 0 ? <SignIn wanted="an agent key" /> : <h1>Chat</h1>}</Shell>;
}
