/** What a table of our own has under a name that was typed in; nothing under those that every object has (`constructor`). */
export function ownMember<Value>(
  table: Readonly<Record<string, Value>>,
  name: string | undefined,
): Value | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
