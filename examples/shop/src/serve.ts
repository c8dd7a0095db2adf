import { mountTools } from "@toolgate/sdk";
import express from "express";
import { Shop } from "./database.js";
import { required } from "./environment.js";
import { shopContexts, shopTools } from "./tools.js";

// The tools of worker.ts behind a URL: what differs is this file. The gateway calls HTTPS on port 443, so something in
// front (a load balancer, a reverse proxy) has the certificate and passes requests on as they are.
const secret = required("TOOLGATE_WEBHOOK_SECRET").split(",");
const shop = new Shop(required("SHOP_DATABASE"));

const app = express();
// Before any body parser: the signature covers the bytes as they came.
mountTools(app, { tools: shopTools(shop), contexts: shopContexts, secret });

const server = app.listen(Number(process.env["PORT"] || 8080), process.env["HOST"] || "127.0.0.1", (error) => {
  if (error !== undefined) throw error;
  console.log(`listening on port ${portOf(server.address())}`);
});

for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, stop);

// Calls that run end first; their answers are still awaited.
function stop(): void {
  server.close(() => shop.close());
}

function portOf(address: ReturnType<typeof server.address>): string | number {
  return typeof address === "object" && address !== null ? address.port : String(address);
}
