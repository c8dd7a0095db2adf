/** The variable's value; without one the process ends and says which is missing. */
export function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") {
    console.error(`${name} is not set`);
    process.exit(2);
  }
  return value;
}
