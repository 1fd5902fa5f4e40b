import type { InputFault } from '../http/errors.ts';
import { isRecord } from '../lib/is-record.ts';
import {
  hasReferenceInside,
  type Reference,
  readLiteral,
  readReference,
  writeReference,
} from './references.ts';
import type { MergedSource, Step } from './source.ts';

/** Where a reference stays one, and nothing else may stand. */
const SECRETS = [
  /^integrations\.\d+\.(?:clientSecret|webhookSecret)$/,
  /^destinations\.\d+\.kafka\.sasl\.password$/,
  /^project\.agentSignIn\.openid\.clientSecret$/,
];
/** The provider says which of them are secrets. */
const VARIABLE = /^integrations\.\d+\.variables\.[^.]+$/;

const INSIDE =
  'A reference is the whole value or none of it; text that only looks like one has `$$` for its `$`';

export type Substituted = {
  readonly value: unknown;
  /** What stood in the place of a value, or of a variable still does, by the path in the document. */
  readonly references: ReadonlyMap<string, Reference>;
  readonly faults: readonly InputFault[];
};

/** The document with values in the place of references, except where a secret stands or may. */
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
    return typeof value === 'string' ? walkText(value, path) : value;
  }

  function walkText(text: string, path: readonly Step[]): string {
    if (hasReferenceInside(text)) faults.push(faultAt(path, INSIDE));
    const reference = readReference(text);
    const literal = readLiteral(text);
    // Most texts are neither, and a path takes time to write.
    if (reference === undefined && literal === text) return text;
    const at = path.join('.');
    if (SECRETS.some((pattern) => pattern.test(at))) return text;
    if (reference === undefined) return literal;
    if (VARIABLE.test(at)) {
      references.set(at, reference);
      return text;
    }
    const known = secrets.get(reference);
    if (known === undefined) faults.push(faultAt(path, missingValue(reference)));
    else references.set(at, reference);
    return known ?? text;
  }

  return { value: walk(root, []), references, faults };
}

export function missingValue(reference: Reference): string {
  return `The value of ${writeReference(reference)} is not among \`secrets\``;
}
