/** What the assistant asks and the user has not answered. A card shows each in its own thread. */
import { Store } from "../../shared/store";

export type Decision = "approved" | "rejected";

export interface Question {
  readonly threadId: string;
  readonly toolCallId: string;
  readonly action: string;
  readonly details: string | undefined;
}

export interface Ask extends Question {
  readonly decide: (decision: Decision) => void;
}

export const asks = new Store<readonly Ask[]>([]);

/** Settles when the user decides. Where nobody waits any more the card goes, and nothing is settled. */
export function ask(question: Question, signal: AbortSignal): Promise<Decision> {
  return new Promise((resolve) => {
    const gone = (): void => asks.set(asks.value.filter((one) => one !== entry));
    const entry: Ask = {
      ...question,
      decide: (decision) => {
        gone();
        resolve(decision);
      },
    };
    asks.set([...asks.value, entry]);
    signal.addEventListener("abort", gone, { once: true });
  });
}
