/** RFC 9110 section 5.5: anything else cannot stand in a field value. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/** All values of a field, joined as one list (RFC 9110 section 5.3); undefined where it is not there. */
export function fieldValue(fields: readonly string[], lowerName: string): string | undefined {
  let joined: string | undefined;
  for (let index = 0; index + 1 < fields.length; index += 2) {
    if (fields[index]?.toLowerCase() !== lowerName) continue;
    const value = fields[index + 1] ?? '';
    joined = joined === undefined ? value : `${joined},${value}`;
  }
  return joined;
}

/** The fields without those of these names, in lower case. */
export function withoutFields(fields: readonly string[], lowerNames: ReadonlySet<string>): string[] {
  return fields.filter((_text, index) => !lowerNames.has((fields[index & ~1] ?? '').toLowerCase()));
}

/** A body that was held goes out with its length instead of in chunks. */
export function withLength(fields: readonly string[], body: Buffer | undefined): string[] {
  if (body === undefined) return [...fields];
  const rest = withoutFields(fields, new Set(['transfer-encoding', 'content-length']));
  return [...rest, 'Content-Length', String(body.length)];
}

/** True for what can stand in a field value. */
export function isSendable(value: string): boolean {
  return !UNSENDABLE.test(value);
}
