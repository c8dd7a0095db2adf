import { useState } from "preact/hooks";

export interface Action {
  readonly busy: boolean;
  readonly fault: unknown;
  /** Does it, once at a time; whether it went well. */
  readonly run: (work: () => Promise<void>) => Promise<boolean>;
  readonly clear: () => void;
}

/** Something that a person sets off: at work, and how it failed. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>();
  return {
    busy,
    fault,
    clear: () => setFault(undefined),
    run: async (work) => {
      if (busy) return false;
      setBusy(true);
      setFault(undefined);
      try {
        await work();
        return true;
      } catch (problem) {
        setFault(problem);
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
