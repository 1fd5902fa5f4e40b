/** Read at each request, so that a build needs none of them. */
export function readSetting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set; see .env.example`);
  return value;
}
