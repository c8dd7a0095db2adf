// The process behind webhook_clocks.test.mjs: the TypeScript SDK on a machine whose clock is off. Each line on standard
// input is by how many seconds from then on, and is written back once it is so.
import { createServer } from "node:http";
import { createInterface } from "node:readline";

import { nodeHandler, tool } from "@toolgate/sdk";

let offSeconds = 0;
const trueNow = Date.now;
Date.now = () => trueNow() + offSeconds * 1_000;
createInterface({ input: process.stdin }).on("line", (line) => {
  offSeconds = Number(line);
  console.log(`off by ${line}`);
});

let runs = 0;
const counting = (name, sideEffect) => tool({ name, description: name, sideEffect, input: {}, handler: () => (runs += 1) });
const tools = [counting("look", "read_only"), counting("edit", "reversible_write")];
const server = createServer(nodeHandler({ tools, secret: process.env.TOOLGATE_WEBHOOK_SECRET }));
server.listen(process.env.PORT, "127.0.0.1", () => console.log(`listening on port ${server.address().port}`));
