import { Button } from "../shared/ui/Button";

/** Asks for one page more, where there is one. */
export function More({ more, busy, onMore }: { readonly more: boolean | undefined; readonly busy: boolean; readonly onMore: () => void }) {
  if (more !== true) return null;
  return (
    <div class="row">
      <Button busy={busy} onClick={onMore}>
        Load more
      </Button>
    </div>
  );
}
