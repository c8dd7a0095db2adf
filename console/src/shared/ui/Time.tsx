import { useEffect } from "preact/hooks";
import { Store, useStore } from "../store";

const now = new Store(Date.now());
let watchers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, once a second while somebody looks. */
export function useNow(): number {
  useEffect(() => {
    watchers += 1;
    now.set(Date.now());
    timer ??= setInterval(() => now.set(Date.now()), 1_000);
    return () => {
      watchers -= 1;
      if (watchers > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return useStore(now);
}

/** A length of time in two units: `3 h 12 min`. */
export function lengthOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const units: [number, string][] = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "min"],
    [1, "s"],
  ];
  const first = units.findIndex(([size]) => seconds >= size);
  if (first < 0) return "0 s";
  let rest = seconds;
  const parts = units.slice(first, first + 2).map(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? `${count} ${unit}` : "";
  });
  return parts.filter(Boolean).join(" ");
}

/** Date and time of a person's own clock, to the second. */
export function momentOf(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

/** A moment. `ago` and `left` say how far away it is, and go on counting. */
export function Time({ at, mode = "moment" }: { readonly at: string; readonly mode?: "moment" | "ago" | "left" }) {
  if (mode === "moment") return <time dateTime={at}>{momentOf(at)}</time>;
  return <Counting at={at} left={mode === "left"} />;
}

function Counting({ at, left }: { readonly at: string; readonly left: boolean }) {
  const away = Date.parse(at) - useNow();
  const words = left ? (away > 0 ? `${lengthOf(away)} left` : "over") : away > -1_000 ? "just now" : `${lengthOf(-away)} ago`;
  return (
    <time dateTime={at} title={momentOf(at)}>
      {words}
    </time>
  );
}
