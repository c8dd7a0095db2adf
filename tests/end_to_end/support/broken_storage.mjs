// Storage that does not work for a while, under a gateway that runs: what it keeps stays as it was.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Takes the calls of every pool away, so that whatever looks at one fails; gives back what brings them again. */
export function withoutCalls(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => /toolgate-pool-queue.*[0-9a-f]{64}\.sqlite$/.test(file));
  const each = (statement) => {
    for (const file of files) {
      const database = new DatabaseSync(join(folder, file), { timeout: 2_000 });
      database.exec(statement);
      database.close();
    }
  };
  each("ALTER TABLE calls RENAME TO calls_away");
  return () => each("ALTER TABLE calls_away RENAME TO calls");
}
