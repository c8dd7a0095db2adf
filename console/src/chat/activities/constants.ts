/**
 * The page's policy lets no text become HTML (Trusted Types). ECharts empties its element by an empty text, and Leaflet looks once whether the
 * browser can draw: these two texts pass, no other. Call it before either is loaded.
 */
const HARMLESS = new Set(["", "<svg/>"]);

interface Policies {
  createPolicy(name: string, rules: { readonly createHTML: (text: string) => string | null }): unknown;
  readonly defaultPolicy: unknown;
}

export function allowConstants(): void {
  const policies = (globalThis as { readonly trustedTypes?: Policies }).trustedTypes;
  if (policies === undefined || policies.defaultPolicy !== null) return;
  policies.createPolicy("default", { createHTML: (text) => (HARMLESS.has(text) ? text : null) });
}
