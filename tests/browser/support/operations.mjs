// What pages may ask the gateway for: the operations of its published document, and nothing besides.
import { readFileSync } from "node:fs";

const { paths } = JSON.parse(readFileSync(new URL("../../../protocol/openapi.json", import.meta.url), "utf8"));
const OPERATIONS = Object.entries(paths).flatMap(([path, item]) => {
  const pattern = new RegExp(`^${path.split(/\{\w+\}/).map((part) => part.replaceAll(".", "\\.")).join("[^/]+")}$`);
  return Object.keys(item).map((method) => ({ method: method.toUpperCase(), pattern }));
});
/** How a script asks, in Chromium's words; whatever path it asks for, it must be of the API. */
const BY_SCRIPT = new Set(["fetch", "xhr", "eventsource", "ping"]);

/** Whether the published document has this request, or need not have it: a page or a file of it. */
export function isPublic(request) {
  const { pathname } = new URL(request.url());
  if (!pathname.startsWith("/v1/") && !BY_SCRIPT.has(request.resourceType())) return true;
  return OPERATIONS.some(({ method, pattern }) => method === request.method() && pattern.test(pathname));
}
