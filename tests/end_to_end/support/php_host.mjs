// Serves the PHP program in the first argument on PORT, as a web server with PHP does: one run of the file a request.
import { createServer } from "node:http";

import { getPHPLoaderModule } from "@php-wasm/node-8-4";
import { loadPHPRuntime, PHP, setPhpIniEntries } from "@php-wasm/universal";

const [, , code] = process.argv;
const php = new PHP(await loadPHPRuntime(await getPHPLoaderModule(), { ENV: process.env }));
// As on a developer's machine: whatever PHP has to say goes into the page.
await setPhpIniEntries(php, { display_errors: "1", error_reporting: "E_ALL", output_buffering: "0" });

let last = Promise.resolve();
/** One after the other: this PHP has one thread. */
function run(request, body) {
  last = last.catch(() => undefined).then(() => php.run({ code, method: request.method, headers: request.headers, body }));
  return last;
}

const server = createServer(async (request, response) => {
  try {
    const { httpStatusCode, headers, bytes } = await run(request, Buffer.concat(await request.toArray()));
    response.writeHead(httpStatusCode, headers).end(bytes);
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
});
server.listen(process.env.PORT, "127.0.0.1", () => console.log(`listening on port ${server.address().port}`));
