import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly fault: unknown;
  readonly loading: boolean;
  readonly reload: () => void;
}

/**
 * Loads a value when what it hangs on changes, and every `everyMs` while the page is visible. The value of before stays
 * until the next is there; an answer that comes after a newer question is dropped.
 */
export function useLoad<Value>(load: ((signal: AbortSignal) => Promise<Value>) | undefined, hangsOn: readonly unknown[], everyMs?: number): Loaded<Value> {
  const [state, setState] = useState<{ value: Value | undefined; fault: unknown }>({ value: undefined, fault: undefined });
  const [loading, setLoading] = useState(load !== undefined);
  const [turn, setTurn] = useState(0);
  const current = useRef(load);
  current.current = load;
  useEffect(() => setState({ value: undefined, fault: undefined }), hangsOn);
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async (): Promise<void> => {
      clearTimeout(timer);
      const question = current.current;
      if (question === undefined) return setLoading(false);
      setLoading(true);
      try {
        const value = await question(abort.signal);
        if (!abort.signal.aborted) setState({ value, fault: undefined });
      } catch (fault) {
        if (!abort.signal.aborted) setState((before) => ({ value: before.value, fault }));
      }
      if (abort.signal.aborted) return;
      setLoading(false);
      if (everyMs !== undefined && document.visibilityState === "visible") timer = setTimeout(() => void run(), everyMs);
    };
    const seen = (): void => void (document.visibilityState === "visible" && everyMs !== undefined && run());
    document.addEventListener("visibilitychange", seen);
    void run();
    return () => {
      abort.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [...hangsOn, turn, everyMs]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  return { ...state, loading, reload };
}
