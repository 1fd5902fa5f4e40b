/** Flat list of field names and values in wire order, as Node's `rawHeaders`: order, case and duplicates survive. */
export type FieldList = string[];

/** The first value of a field in a flat list. */
export function firstField(fields: readonly string[], lowerName: string): string | undefined {
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? '';
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) return fields[index + 1];
  }
  return undefined;
}

/** Never dropped because `Connection` names them: they frame and route the message itself. */
const NOT_NOMINABLE: ReadonlySet<string> = new Set(['host', 'content-length']);

/** Names that `Connection` lists (RFC 9110 section 7.6.1), less those that no intermediary may lose. */
export function nominatedFields(connection: string | undefined): ReadonlySet<string> {
  const nominated = new Set<string>();
  for (const option of connection?.split(',') ?? []) {
    const name = option.trim().toLowerCase();
    if (name !== '' && !NOT_NOMINABLE.has(name)) nominated.add(name);
  }
  return nominated;
}
