import { get } from "../api";
import { type HeldKey, holdKey, type Session } from "../keys";

/** Asks the gateway whose key it is, and holds it. Throws what the gateway says against it. */
export async function signIn(text: string, kept: boolean): Promise<HeldKey> {
  const key = text.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error("A key is one word of plain characters. Copy it again, without anything around it.");
  const bare: HeldKey = { key, kept, org: "", role: "caller", name: "", id: "", created_at: "" };
  const session = await get<Session>("/v1/session", { key: bare });
  const held = { ...session, key, kept };
  holdKey(held);
  return held;
}
