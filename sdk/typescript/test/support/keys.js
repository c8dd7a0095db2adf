/** A key of the gateway's form. Its MAC is of no interest to the SDK. */
export function keyOf(org) {
  const payload = Buffer.from(JSON.stringify({ o: org, r: "worker", k: "key-1", g: 1 })).toString("base64url");
  return `tg_worker.${payload}.bm90LWEtcmVhbC1tYWM`;
}
