import type { ComponentChildren } from "preact";
import { type HeldKey, heldKeys, keyOf, type Role } from "../shared/keys";
import { SignIn } from "../shared/signin/SignIn";
import { useStore } from "../shared/store";

interface Props {
  readonly title: string;
  readonly roles: readonly Role[];
  readonly children: (key: HeldKey) => ComponentChildren;
}

/** "an admin or approver key" */
export function rolesInWords(roles: readonly Role[]): string {
  const words = roles.join(" or ");
  return `${/^[aeiou]/.test(words) ? "an" : "a"} ${words} key`;
}

/** What needs a key of one of these roles; in its place, where there is none, the form that takes one. */
export function Need({ title, roles, children }: Props) {
  const keys = useStore(heldKeys);
  const key = keyOf(keys, ...roles);
  if (key !== undefined) return <>{children(key)}</>;
  const held = keys.map((each) => each.role).join(", ");
  return (
    <section class="stack narrow">
      <h1>{title}</h1>
      <p>
        This needs {rolesInWords(roles)}. {held === "" ? "" : `The keys held here: ${held}.`}
      </p>
      <SignIn wanted={rolesInWords(roles)} />
    </section>
  );
}

/** Why an action is off for want of a key; undefined where there is one. */
export function useMissing(...roles: readonly Role[]): string | undefined {
  return keyOf(useStore(heldKeys), ...roles) === undefined ? `needs ${rolesInWords(roles)}` : undefined;
}
