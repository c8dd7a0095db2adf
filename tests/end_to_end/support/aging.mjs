// Time that passes for what waits for a decision: its end is moved on disk, for the clock of the machine cannot be.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const DAY_MS = 86_400_000;

/** Brings the end of every parked call nearer by so much, in the storage of a gateway that does not run; how many there were. */
export function ageParked(folder, byMs = DAY_MS) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.includes("toolgate-pool-queue") && file.endsWith(".sqlite"));
  return files.reduce((aged, file) => aged + ageOf(join(folder, file), byMs), 0);
}

function ageOf(file, byMs) {
  const database = new DatabaseSync(file);
  const isPool = database.prepare("SELECT name FROM sqlite_master WHERE name = 'calls'").all().length > 0;
  const parked = isPool ? database.prepare("SELECT id, record, due FROM calls WHERE bucket = 2").all() : [];
  if (isPool) database.exec("BEGIN");
  const move = isPool ? database.prepare("UPDATE calls SET record = ?, due = ? WHERE bucket = 2 AND id = ?") : undefined;
  for (const { id, record, due } of parked) {
    const earlier = record.replaceAll(String(due), String(due - byMs));
    if (earlier === record) throw new Error(`the end of ${id} does not stand in its record`);
    move.run(earlier, due - byMs, id);
  }
  if (isPool) database.exec("COMMIT");
  database.close();
  return parked.length;
}
