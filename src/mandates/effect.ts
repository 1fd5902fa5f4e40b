import { listValues, type MandatedCall } from './call.ts';
import { findGraphqlChange, findGraphqlUrlChange } from './graphql.ts';
import { findMcpChange } from './mcp-messages.ts';
import { isPlainForm, judgeForm, mayHoldOverride, NEEDS_BODY } from './overrides.ts';
import { foldedPatternsFor, matchesAny, patternsFor } from './patterns.ts';
import { readStrictJson } from './strict-json.ts';

/** What a call does at its provider. `unknown`: its body, which has not been read, decides. */
export type Effect =
  | { readonly kind: 'reads' | 'unknown' }
  /** `why` is left out where the method alone says so. */
  | { readonly kind: 'changes'; readonly why?: string };

const READS: Effect = { kind: 'reads' };
const UNKNOWN: Effect = { kind: 'unknown' };
const CHANGES: Effect = { kind: 'changes' };

/** JSON in UTF-8, and in nothing around it. */
const PLAIN_JSON = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Whether the call reads and does nothing else. `path` is normalized, `folded` as the most forgiving server reads it. */
export function judgeEffect(call: MandatedCall, path: string, folded: string): Effect {
  const { method, facts } = call;
  const isListed = matchesAny(patternsFor(facts?.reads), path);
  if (method === 'GET' || method === 'HEAD') {
    if (isListed) return READS;
    if (matchesAny(foldedPatternsFor(facts?.writes), folded)) return CHANGES;
    return matchesAny(foldedPatternsFor(facts?.graphql), folded) ? judgeGraphqlGet(call) : READS;
  }
  if (method !== 'POST' || facts === undefined) return CHANGES;
  if (isListed) return judgeListedPost(call);
  if (matchesAny(patternsFor(facts.graphql), path)) {
    if (call.rawQuery.length > 1) return changes('a query of GraphQL stands in the body alone');
    return judgeBody(call, findGraphqlChange);
  }
  if (!matchesAny(patternsFor(facts.mcp), path)) return CHANGES;
  const { readingTools = [] } = facts;
  return judgeBody(call, (value) => findMcpChange(value, { rawHeaders: call.rawHeaders, readingTools }));
}

/** A form may name another method inside: one that is read in a single way alone is looked through. */
function judgeListedPost(call: MandatedCall): Effect {
  const types = listValues(call.rawHeaders, 'content-type');
  if (call.hasBody && mayHoldOverride(types) && !isPlainForm(types)) return CHANGES;
  const why = judgeForm(call);
  if (why === false) return READS;
  return why === NEEDS_BODY ? UNKNOWN : changes(why);
}

function judgeGraphqlGet({ rawQuery, hasBody }: MandatedCall): Effect {
  if (hasBody) return changes('a GET for GraphQL has no body');
  const why = findGraphqlUrlChange(rawQuery);
  return why === undefined ? READS : changes(why);
}

function judgeBody(call: MandatedCall, findChange: (value: unknown) => string | undefined): Effect {
  const [type, ...others] = listValues(call.rawHeaders, 'content-type');
  if (type === undefined || others.length > 0 || !PLAIN_JSON.test(type))
    return changes('its body is not application/json in UTF-8');
  if (listValues(call.rawHeaders, 'content-encoding').length > 0) return changes('its body is encoded');
  if (!call.hasBody) return changes('it has no body');
  if (call.body === undefined) return UNKNOWN;
  if (call.body === 'too_long') return changes('its body is longer than 64 KiB');
  const json = readStrictJson(call.body);
  const why = 'fault' in json ? json.fault : findChange(json.value);
  return why === undefined ? READS : changes(why);
}

function changes(why: string): Effect {
  return { kind: 'changes', why };
}
