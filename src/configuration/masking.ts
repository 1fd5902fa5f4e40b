import { digest, isSameDigest, valueAt } from './comparison.ts';
import type { CurrentObject, Fields, ManagedObject } from './objects.ts';
import { type Reference, writeLiteral, writeReference } from './references.ts';

type References = Readonly<Record<string, Reference>>;

/** Stands where a value is not the one that its reference stood for. */
const OTHER = '(another value)';

/** The fields with the references in the place of the values that they stood for: what may be shown, and stored. */
export function maskReferences(fields: Fields, references: References): Fields {
  return mapValues(fields, '', (path, value) => {
    const reference = references[path];
    return reference === undefined ? value : writeReference(reference);
  });
}

type Known = Pick<ManagedObject, 'references' | 'digests'>;

/** The same of the present state. */
export function maskCurrent({ fields }: Pick<CurrentObject, 'fields'>, known: Known): Fields {
  return mapValues(fields, '', (path, value) => {
    if (known.references[path] === undefined) return value;
    return referenceOf(known, path, value) ?? OTHER;
  });
}

/** The present state as a file says it: what has changed since is shown as it is, and is no reference whatever it reads like. */
export function writeCurrent({ fields }: Pick<CurrentObject, 'fields'>, known: Known | undefined): Fields {
  return mapValues(
    fields,
    '',
    (path, value) => (known && referenceOf(known, path, value)) ?? writeLiteral(value),
  );
}

/** What the value at the path came by, if it is still that one. */
function referenceOf({ references, digests }: Known, path: string, value: unknown): string | undefined {
  const [reference, known] = [references[path], digests[path]];
  if (reference === undefined || known === undefined) return undefined;
  return isSameDigest(known, digest(String(value))) ? writeReference(reference) : undefined;
}

/** Digests of what the references stand for, as the gateway has it now. */
export function digestReferences(
  current: Pick<CurrentObject, 'fields' | 'secrets'>,
  references: References,
): Record<string, string> {
  return Object.fromEntries(
    Object.keys(references).flatMap((path) => {
      const value = current.secrets.get(path) ?? valueAt(current.fields, path);
      return typeof value === 'string' ? [[path, digest(value)]] : [];
    }),
  );
}

/** Whether a path is one of the references', holds one, or is within one. */
export function concernsReference(path: string, references: References): boolean {
  return Object.keys(references).some(
    (known) => known === path || known.startsWith(`${path}.`) || path.startsWith(`${known}.`),
  );
}

function mapValues(
  value: Fields,
  start: string,
  map: (path: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mapValue(member, `${start}${name}`, map)]),
  );
}

function mapValue(value: unknown, path: string, map: (path: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => mapValue(item, `${path}.${index}`, map));
  if (typeof value === 'object' && value !== null) return mapValues({ ...value }, `${path}.`, map);
  return map(path, value);
}
