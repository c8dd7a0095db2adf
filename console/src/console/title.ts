import { useEffect } from "preact/hooks";

/** The window's title, which is what a screen reader says first. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Toolgate`;
  }, [title]);
}
