import { useEffect, useMemo, useState } from "preact/hooks";
import type { HeldKey } from "../shared/keys";
import { doorOf } from "./door";
import { Conversation, EMPTY, type Talk } from "./loop";
import { toldTools } from "./tools/switches";

/** The page is drawn at most this often while a message streams. */
const DRAWN_MS = 30;

export interface Screen {
  readonly context_type: string;
  /** None where the screen is about no one thing. */
  readonly context_id?: string;
}

/** A conversation that lives as long as its thread is shown. `fresh`: it has said nothing yet, so there is nothing to load. */
export function useConversation(key: HeldKey, threadId: string, fresh: boolean, taken: ReadonlySet<string>, screen: Screen | undefined): { it: Conversation; talk: Talk } {
  const [talk, setTalk] = useState<Talk>(EMPTY);
  const server = useMemo(() => ({ names: taken }), [key.id, threadId]);
  server.names = taken;
  const it = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = EMPTY;
    const draw = (next: Talk): void => {
      last = next;
      timer ??= setTimeout(() => {
        timer = undefined;
        setTalk(last);
      }, DRAWN_MS);
    };
    return new Conversation({
      threadId,
      door: doorOf(key),
      tools: () => toldTools(key.org, key.agent ?? "", server.names),
      changed: draw,
      screen,
    });
  }, [key.id, threadId, screen?.context_type, screen?.context_id]);
  useEffect(() => {
    setTalk(it.talk);
    if (!fresh) void it.load();
    return () => it.leave();
  }, [it]);
  return { it, talk };
}
