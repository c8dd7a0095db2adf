import { Tabs } from "../../shared/ui/Tabs";

export function ApprovalTabs({ current }: { readonly current: "inbox" | "history" }) {
  return (
    <Tabs
      label="Approvals"
      tabs={[
        { href: "/console/approvals", label: "Waiting", current: current === "inbox" },
        { href: "/console/history", label: "History", current: current === "history" },
      ]}
    />
  );
}
