import { useStore } from "../store";
import { setTheme, theme, type Theme } from "../theme";

export function ThemeSwitch() {
  return (
    <select class="theme" aria-label="Colours" value={useStore(theme)} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
      <option value="system">System</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  );
}
