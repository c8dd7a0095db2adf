import { runWorker } from "@toolgate/sdk";
import { Shop } from "./database.js";
import { required } from "./environment.js";
import { shopContexts, shopTools } from "./tools.js";

const baseUrl = required("TOOLGATE_URL");
const apiKey = required("TOOLGATE_WORKER_KEY");
const shop = new Shop(required("SHOP_DATABASE"));

const worker = runWorker({
  baseUrl,
  apiKey,
  pool: process.env["TOOLGATE_POOL"] || "shop",
  tools: shopTools(shop),
  contexts: shopContexts,
});

// The worker has logged why; what is left is to close the file and to say it in the exit status.
worker.done
  .catch(() => {
    process.exitCode = 1;
  })
  .finally(() => shop.close());
