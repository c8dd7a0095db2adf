import { JsonView } from "../../shared/ui/JsonView";
import { Seen } from "../../shared/ui/Seen";
import type { ActivityProps } from "./registry";

export function JsonActivity({ type, content }: ActivityProps) {
  return (
    <figure class="activity stack">
      <figcaption class="quiet small">
        This page has no drawing for <Seen text={type} />. This is what came.
      </figcaption>
      <JsonView text={JSON.stringify(content)} label={`Activity of the type ${type}`} />
    </figure>
  );
}
