import { isRecord } from '../lib/is-record.ts';

/** `env:NAME` or `file:path`, as it stands between `${` and `}`. */
export type Reference = string;

const WHOLE = /^\$\{((?:env:[A-Za-z_][A-Za-z0-9_]{0,199})|(?:file:[^{}\n\r]{1,500}))\}$/;
const INSIDE = /(?<!\$)\$\{(?:env|file):/;

/** What the reference names; undefined where the text is none. */
export function readReference(value: unknown): Reference | undefined {
  return typeof value === 'string' ? (WHOLE.exec(value)?.[1] ?? undefined) : undefined;
}

/** A text that holds a reference among other things, which no value takes the place of. */
export function hasReferenceInside(value: unknown): boolean {
  return typeof value === 'string' && INSIDE.test(value) && readReference(value) === undefined;
}

/** A value as a file says it: text that reads like a reference has one `$` more. */
export function writeLiteral(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(/\$(?=\{(?:env|file):)/g, () => '$$') : value;
}

/** The text that `writeLiteral` was given. */
export function readLiteral(text: string): string {
  return text.replaceAll(/\$\$(?=\{(?:env|file):)/g, () => '$');
}

export function writeReference(reference: Reference): string {
  return `\${${reference}}`;
}

/** The values that a caller brings, by reference: `env:NAME`, `${env:NAME}` and the bare `NAME` are the same. */
export function normalizeSecrets(given: Readonly<Record<string, string>>): ReadonlyMap<Reference, string> {
  return new Map(
    Object.entries(given).map(([name, value]) => {
      const bare = readReference(name) ?? name;
      return [/^(?:env|file):/.test(bare) ? bare : `env:${bare}`, value] as const;
    }),
  );
}

/** Every reference in a value, each once. */
export function listReferences(root: unknown): Reference[] {
  const found = new Set<Reference>();
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    const reference = readReference(value);
    if (reference !== undefined) found.add(reference);
    if (Array.isArray(value)) open.push(...value.toReversed());
    else if (isRecord(value)) open.push(...Object.values(value).toReversed());
  }
  return [...found];
}
