import { Store } from "./store";

export type Theme = "system" | "light" | "dark";
const NAME = "toolgate.theme";

function kept(): Theme {
  const value = localStorage.getItem(NAME);
  return value === "light" || value === "dark" ? value : "system";
}

export const theme = new Store<Theme>(kept());

function apply(): void {
  if (theme.value === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme.value;
}

export function setTheme(value: Theme): void {
  if (value === "system") localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, value);
  theme.set(value);
}

theme.subscribe(apply);
addEventListener("storage", (event) => event.key === NAME && theme.set(kept()));
apply();
