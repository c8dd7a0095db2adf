// Time that passes for what waits for a decision, and for what has ended: it is moved on disk, for the clock of the machine
// cannot be.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const DAY_MS = 86_400_000;
/** As the pool's rows have them: where they stand, and which of their times is moved. */
const PARKED = { bucket: 2, column: "due" };
const OVER = { bucket: 3, column: "ended_at" };

/** Brings the end of every parked call nearer by so much, in the storage of a gateway that does not run; how many there were. */
export const ageParked = (folder, byMs = DAY_MS) => age(folder, PARKED, byMs);

/** Lets the end of every ended call be longer ago by so much; how many there were. */
export const ageEnded = (folder, byMs) => age(folder, OVER, byMs);

function age(folder, which, byMs) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.includes("toolgate-pool-queue") && file.endsWith(".sqlite"));
  return files.reduce((aged, file) => aged + ageOf(join(folder, file), which, byMs), 0);
}

function ageOf(file, { bucket, column }, byMs) {
  const database = new DatabaseSync(file);
  const isPool = database.prepare("SELECT name FROM sqlite_master WHERE name = 'calls'").all().length > 0;
  const rows = isPool ? database.prepare(`SELECT id, record, ${column} AS at FROM calls WHERE bucket = ?`).all(bucket) : [];
  if (isPool) database.exec("BEGIN");
  const move = isPool ? database.prepare(`UPDATE calls SET record = ?, ${column} = ? WHERE bucket = ? AND id = ?`) : undefined;
  for (const { id, record, at } of rows) {
    const earlier = record.replaceAll(String(at), String(at - byMs));
    if (earlier === record) throw new Error(`the end of ${id} does not stand in its record`);
    move.run(earlier, at - byMs, bucket, id);
  }
  if (isPool) database.exec("COMMIT");
  database.close();
  return rows.length;
}
