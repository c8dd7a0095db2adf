import { path } from "../../shared/api";
import { heldKeys, keyOf } from "../../shared/keys";
import { useLoad } from "../../shared/load";
import { Link } from "../../shared/router";
import { useStore } from "../../shared/store";
import { Time } from "../../shared/ui/Time";
import { readCall } from "../documents";
import { CallStateBadge, isEnded } from "../words";

/** Approved is not executed: how the call itself stands, and when it ended. */
export function CallNow({ id }: { readonly id: string }) {
  const key = keyOf(useStore(heldKeys), "approver", "admin");
  const { value, fault } = useLoad(key && ((signal) => readCall(key, id, signal)), [key?.id, id], 3_000);
  return (
    <p class="row">
      <strong>The call itself:</strong>
      {value === undefined ? (
        <span class="quiet">{fault === undefined ? "…" : "not to be read now"}</span>
      ) : (
        <>
          <CallStateBadge state={value.state} />
          {value.ended_at !== undefined && <Time at={value.ended_at} />}
          {!isEnded(value.state) && value.state !== "unknown" && <span class="quiet">approved, and not finished yet</span>}
        </>
      )}
      <Link href={path`/console/calls/${id}`}>Timeline</Link>
    </p>
  );
}
