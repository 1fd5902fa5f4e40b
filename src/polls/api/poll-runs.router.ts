import { assertIfMatch, formatEtag } from '../../http/conditional.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { readPage } from '../../lib/cursor.ts';
import { CONNECTIONS_AT_ONCE, type PollAccess, type PollsDependencies } from './poll-access.ts';
import { toPolledConnectionWire } from './poll-wire.ts';
import { pollConnectionsQuery, polledConnectionList, pollParams, pollSchema } from './polls.schema.ts';

/** Pauses, resumes and runs polls, and shows how they come on. */
export function createPollRunsEndpoints(
  deps: PollsDependencies,
  { find, wireOf, change }: PollAccess,
): Endpoint[] {
  const { db, progressStore } = deps;

  const pause = endpoint({
    ...switching('pausePoll', 'pause', 'Pause a poll', 'The page that is being read is still told.'),
    params: pollParams,
    principals: ['operator', 'api_key'],
    success: { status: 200, schema: pollSchema, description: 'The poll' },
    async handler({ principal, params, request, commitReply }) {
      const current = await find(principal, params.id, 'write');
      assertIfMatch(request, formatEtag(current.version));
      return commitReply(db, async (trx) => {
        const given = { pausedAt: new Date(deps.now()) };
        const isPaused = current.pausedAt !== null;
        const row = isPaused ? current : await change(trx, principal, current, given, 'poll.paused');
        return { body: await wireOf(row, trx), etag: formatEtag(row.version) };
      });
    },
  });

  const resume = endpoint({
    ...switching('resumePoll', 'resume', 'Resume a poll', 'It goes on where it was paused.'),
    params: pollParams,
    principals: ['operator', 'api_key'],
    success: { status: 200, schema: pollSchema, description: 'The poll' },
    async handler({ principal, params, request, commitReply }) {
      const current = await find(principal, params.id, 'write');
      assertIfMatch(request, formatEtag(current.version));
      return commitReply(db, async (trx) => {
        const isWorking = current.pausedAt === null;
        const row = isWorking
          ? current
          : await change(trx, principal, current, { pausedAt: null }, 'poll.resumed');
        return { body: await wireOf(row, trx), etag: formatEtag(row.version) };
      });
    },
  });

  const run = endpoint({
    ...switching(
      'runPoll',
      'run',
      'Run a poll now',
      'For all of its connections; one that is being polled is polled once more after that. Refused while the poll is paused.',
    ),
    params: pollParams,
    principals: ['operator', 'api_key'],
    success: { status: 200, schema: pollSchema, description: 'It runs' },
    changesNothing: true,
    errors: ['poll_not_found', 'poll_paused'],
    async handler({ principal, params, commitReply }) {
      const current = await find(principal, params.id, 'write');
      if (current.pausedAt !== null) throw new HttpError('poll_paused');
      return commitReply(db, async (trx) => {
        // Connections that were made just now run, too.
        await progressStore.join(trx, { pollId: current.id }, CONNECTIONS_AT_ONCE);
        await deps.addJobs(trx, await progressStore.makeDue(trx, current.id, CONNECTIONS_AT_ONCE));
        return { body: await wireOf(current, trx) };
      });
    },
  });

  const listConnections = endpoint({
    operationId: 'listPollConnections',
    method: 'get',
    path: '/polls/{id}/connections',
    summary: 'Show how a poll comes on',
    tag: 'Polls',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'polls',
    params: pollParams,
    query: pollConnectionsQuery,
    success: { status: 200, schema: polledConnectionList, description: 'Its connections, newest first' },
    errors: ['poll_not_found'],
    async handler({ principal, params, query }) {
      const { id } = await find(principal, params.id, 'read');
      const { items, nextCursor } = await readPage(query, async ({ beforeId, limit }) => {
        const filter = { afterId: beforeId, connectionId: query.connectionId, tags: query.tag, limit };
        const rows = await deps.statusStore.listOfPoll(db, id, filter);
        return rows.map((row) => ({ ...row, id: row.connectionId }));
      });
      return { body: { connections: items.map(toPolledConnectionWire), nextCursor } };
    },
  });

  return [pause, resume, run, listConnections];
}

function switching(operationId: string, verb: string, summary: string, description: string) {
  return {
    operationId,
    method: 'post',
    path: `/polls/{id}/${verb}`,
    summary,
    description,
    tag: 'Polls',
    leastRole: 'admin',
    keyScope: 'polls',
    errors: ['poll_not_found', 'precondition_failed'],
  } as const;
}
