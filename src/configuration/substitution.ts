import type { InputFault } from '../http/errors.ts';
import { isRecord } from '../lib/is-record.ts';
import { hasReferenceInside, type Reference, readReference, writeReference } from './references.ts';
import type { MergedSource, Step } from './source.ts';

/** Where a reference stays one: secrets, and variables, of which the provider says whether they are. */
const KEPT = [
  /^integrations\.\d+\.(?:clientSecret|webhookSecret|variables\.[^.]+)$/,
  /^destinations\.\d+\.kafka\.sasl\.password$/,
  /^project\.agentSignIn\.openid\.clientSecret$/,
];

export type Substituted = {
  readonly value: unknown;
  /** What stood in the place of a value, by the path in the document. */
  readonly references: ReadonlyMap<string, Reference>;
  readonly faults: readonly InputFault[];
};

/** The document with values in the place of references, except where a secret stands. */
export function substitute(
  { value: root, faultAt }: MergedSource,
  secrets: ReadonlyMap<Reference, string>,
): Substituted {
  const references = new Map<string, Reference>();
  const faults: InputFault[] = [];

  function walk(value: unknown, path: readonly Step[]): unknown {
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (isRecord(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, walk(member, [...path, name])]),
      );
    if (hasReferenceInside(value))
      faults.push(faultAt(path, 'A reference stands alone: it is the whole value or none of it'));
    const reference = readReference(value);
    if (reference === undefined) return value;
    const at = path.join('.');
    if (KEPT.some((pattern) => pattern.test(at))) return value;
    const known = secrets.get(reference);
    if (known === undefined) faults.push(faultAt(path, missingValue(reference)));
    else references.set(at, reference);
    return known ?? value;
  }

  return { value: walk(root, []), references, faults };
}

export function missingValue(reference: Reference): string {
  return `The value of ${writeReference(reference)} is not among \`secrets\``;
}
