import { queryOptions } from '@tanstack/react-query';
import { findStatus } from '../../api/problem.ts';
import { api } from '../../api/queries.ts';
import type { Schema } from '../../api/schemas.ts';
import { buildEntries, type FoldedCall, foldCalls } from './fold-calls.ts';
import type { Entry } from './mandate.ts';

const PAGE = 200;
const PAGES_MAX = 5;
/** Whether a call reads is asked for so many; what is more is judged by its method. */
const ASKED_MAX = 80;
const ASKED_AT_ONCE = 6;

export const CALL_FILTERS = [
  'userId',
  'provider',
  'integrationId',
  'connectionId',
  'origin',
  'status',
  'requestId',
  'mandateId',
  'actor',
] as const;

export type CallsOfLog = {
  readonly folded: readonly FoldedCall[];
  /** Undefined where one mandate does not hold so many. */
  readonly entries: readonly Entry[] | undefined;
  readonly calls: number;
  readonly leftOut: number;
  /** More calls match the filters. */
  readonly isCut: boolean;
};

/** The filters of the log that the address names. */
export function pickFilters(search: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = CALL_FILTERS.map((name): [string, unknown] => [name, search[name]]);
  return Object.fromEntries(
    given.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]])),
  );
}

/** The newest calls that match, folded, and the mandate that they make. Asked for once: the editor begins with it. */
export function callsQuery(projectId: string, filters: Readonly<Record<string, string>>) {
  return queryOptions({
    queryKey: ['/projects/{projectId}/calls', { projectId, filters }, 'folded'],
    queryFn: () => readCalls(projectId, filters),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

async function readCalls(projectId: string, filters: Readonly<Record<string, string>>): Promise<CallsOfLog> {
  const found: Schema<'Call'>[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < PAGES_MAX && (page === 0 || cursor !== null); page += 1) {
    const query: Record<string, unknown> = { ...filters, limit: PAGE, ...(cursor !== null && { cursor }) };
    const list: Schema<'CallList'> = await api.get('/projects/{projectId}/calls', {
      path: { projectId },
      query,
    });
    found.push(...list.calls);
    cursor = list.nextCursor;
  }
  // Those whose token was refused belong to no user, and their provider is the caller's text.
  const calls = found.filter(({ userId, code }) => userId !== null && code !== 'provider_unknown');
  const { folded, leftOut } = foldCalls(calls);
  const reading = await findReading(projectId, folded);
  const entries = buildEntries(folded, (call) => reading.get(call) ?? isReadMethod(call));
  return { folded, entries, calls: calls.length, leftOut, isCut: cursor !== null };
}

function isReadMethod({ method }: FoldedCall): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Asks the gateway, which knows the provider's file: a search by POST reads, and some GETs change something. */
async function findReading(
  projectId: string,
  folded: readonly FoldedCall[],
): Promise<ReadonlyMap<FoldedCall, boolean>> {
  const isOpen = ({ method }: FoldedCall) => method === 'GET' || method === 'POST';
  const asked = folded.filter(isOpen).slice(0, ASKED_MAX);
  const answers = new Map<FoldedCall, boolean>();
  for (let index = 0; index < asked.length; index += ASKED_AT_ONCE) {
    const some = asked.slice(index, index + ASKED_AT_ONCE);
    const judged = await Promise.all(some.map((call) => asksReading(projectId, call)));
    for (const [at, call] of some.entries()) answers.set(call, judged[at] ?? isReadMethod(call));
  }
  return answers;
}

async function asksReading(projectId: string, call: FoldedCall): Promise<boolean> {
  const { provider, method, pattern, example: path } = call;
  const entry: Entry = {
    ...{ type: 'gateway_access', provider, access: 'read', approval: 'none' },
    paths: [pattern],
  };
  try {
    const body = { projectId, entries: [entry], provider, method, path };
    return (await api.post('/mandates/explain', { body })).allowed;
  } catch (error) {
    // A provider that the project has no more.
    if (findStatus(error) === undefined) throw error;
    return isReadMethod(call);
  }
}
