/** Read at each request, so that a build needs none of them. An empty one counts as none: with an empty key any caller could sign. */
export function readSetting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; see .env.example`);
  return value;
}
