import { parse } from 'graphql/language';
import { isRecord } from '../lib/is-record.ts';

/** Bounds the parser's time and its depth; a query for a whole schema has some 400. */
const TOKENS_MAX = 2_000;
const BATCH_MAX = 10;

const MEMBERS: ReadonlySet<string> = new Set(['query', 'operationName', 'variables', 'extensions']);
/** An extension may name a stored document, which is sent in the place of the one that was judged. */
const EXTENSIONS: ReadonlySet<string> = new Set(['clientLibrary']);

/** Line ends and blanks beyond GraphQL's own, which other parsers end a comment with, and a mark that some skip. */
const OTHER_SPACE = /[^\P{Cc}\t\n\r]|[\u2028\u2029\uFEFF]/u;

/**
 * Why a GraphQL request (a body, parsed) may change something; undefined: it holds queries and nothing else. What names a
 * stored document is not known here, and counts as a change.
 */
export function findGraphqlChange(value: unknown): string | undefined {
  if (!Array.isArray(value)) return findChangeOf(value);
  if (value.length === 0 || value.length > BATCH_MAX) return `a batch holds 1 to ${BATCH_MAX} queries`;
  for (const request of value) {
    const change = findChangeOf(request);
    if (change !== undefined) return change;
  }
  return undefined;
}

function findChangeOf(request: unknown): string | undefined {
  if (!isRecord(request)) return 'its body is no GraphQL request';
  const foreign = Object.keys(request).find((name) => !MEMBERS.has(name));
  if (foreign !== undefined)
    return 'its body has a member beside query, operationName, variables and extensions';
  const { query, operationName = null, extensions = null } = request;
  if (typeof query !== 'string') return 'its body holds no query';
  if (operationName !== null && typeof operationName !== 'string') return 'operationName is no text';
  if (extensions !== null && !isHarmlessExtensions(extensions)) return 'it may name a stored document';
  return findDocumentChange(query);
}

function isHarmlessExtensions(extensions: unknown): boolean {
  return isRecord(extensions) && Object.keys(extensions).every((name) => EXTENSIONS.has(name));
}

/** Every operation has to be a query, whichever of them `operationName` chooses. */
function findDocumentChange(text: string): string | undefined {
  // Parsers older than block strings read their content as part of the document.
  if (OTHER_SPACE.test(text) || text.includes('"""')) return 'servers may read its document in several ways';
  try {
    const { definitions } = parse(text, { noLocation: true, maxTokens: TOKENS_MAX });
    const operations = definitions.filter(({ kind }) => kind !== 'FragmentDefinition');
    const isQuery = operations.every(
      (definition) => definition.kind === 'OperationDefinition' && definition.operation === 'query',
    );
    return isQuery && operations.length > 0 ? undefined : 'its document holds more than queries';
  } catch {
    return `its document is no GraphQL, or has more than ${TOKENS_MAX} tokens`;
  }
}

/** The same for a GET, whose query (`''`, or from the `?` on) may hold the document. */
export function findGraphqlUrlChange(rawQuery: string): string | undefined {
  if (rawQuery.length < 2) return undefined;
  const found = readParameters(rawQuery.slice(1));
  if (found === undefined) return 'servers may read its parameters in several ways';
  // What is JSON in a parameter makes no query a change, but extensions may name a stored document.
  const isKnown = [...found.keys()].every(
    (name) => name === 'query' || name === 'operationName' || name === 'variables',
  );
  if (!isKnown) return 'it has a parameter beside query, operationName and variables';
  return findDocumentChange(found.get('query') ?? '');
}

/** Undefined where a name stands twice, or an encoding is broken. */
function readParameters(query: string): ReadonlyMap<string, string> | undefined {
  if (query.includes(';')) return undefined;
  const found = new Map<string, string>();
  try {
    for (const pair of query.split('&')) {
      const [name = '', ...rest] = pair.split('=').map(decode);
      if (found.has(name)) return undefined;
      found.set(name, rest.join('='));
    }
  } catch {
    return undefined;
  }
  return found;
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
