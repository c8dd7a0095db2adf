/** Edge runtimes and browsers have no process, or a stub of one without signals. */
const host = typeof process === "object" && typeof process.on === "function" && typeof process.off === "function" ? process : undefined;

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Calls `onSignal` at the first signal. A second one meets no listener of ours and ends the process at once. */
export function onStopSignal(onSignal: (signal: string) => void): () => void {
  const remove = () => {
    for (const signal of SIGNALS) host?.off(signal, handle);
  };
  const handle = (signal: string) => {
    remove();
    onSignal(signal);
  };
  for (const signal of SIGNALS) host?.on(signal, handle);
  return remove;
}

/** Calls `onExit` if the process ends before the returned function was called. */
export function onProcessExit(onExit: () => void): () => void {
  host?.on("exit", onExit);
  return () => host?.off("exit", onExit);
}

/** A process that ends because its worker failed must not look successful. */
export function markExitFailed(): void {
  if (host !== undefined) host.exitCode ??= 1;
}
