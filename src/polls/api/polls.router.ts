import { assertIfMatch, formatEtag } from '../../http/conditional.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { readPage } from '../../lib/cursor.ts';
import { createCreatePollEndpoint } from './create-poll.router.ts';
import { createPollAccess, type PollsDependencies } from './poll-access.ts';
import { judgeChange } from './poll-rules.ts';
import { createPollRunsEndpoints } from './poll-runs.router.ts';
import { toPollWire } from './poll-wire.ts';
import { pollList, pollParams, pollSchema, pollsQuery, updatePollBody } from './polls.schema.ts';

/** Polls of a project's integrations, and how they come on. */
export function createPollsEndpoints(deps: PollsDependencies): Endpoint[] {
  const { db, access, polls } = deps;
  const pollAccess = createPollAccess(deps);
  const { find, wireOf, change } = pollAccess;

  const list = endpoint({
    operationId: 'listPolls',
    method: 'get',
    path: '/polls',
    summary: 'List polls',
    tag: 'Polls',
    principals: ['operator', 'api_key'],
    leastRole: 'anyone',
    keyScope: 'polls',
    query: pollsQuery,
    success: { status: 200, schema: pollList, description: 'Polls, newest first' },
    async handler({ principal, query }) {
      const visible = await access.projectsOf(principal);
      const { projectId } = query;
      const projectIds =
        projectId === undefined ? visible : visible.filter((id) => id === projectId.toLowerCase());
      const filter = { projectIds, integrationId: query.integrationId, tags: query.tag };
      const { items, nextCursor } = await readPage(query, (window) =>
        polls.list(db, { ...filter, ...window }),
      );
      const counts = await polls.counts(db, items);
      return { body: { polls: items.map((poll) => toPollWire(poll, counts.get(poll.id))), nextCursor } };
    },
  });

  const show = endpoint({
    operationId: 'getPoll',
    method: 'get',
    path: '/polls/{id}',
    summary: 'Show a poll',
    tag: 'Polls',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'polls',
    params: pollParams,
    success: { status: 200, schema: pollSchema, description: 'The poll' },
    errors: ['poll_not_found'],
    async handler({ principal, params }) {
      const found = await find(principal, params.id, 'read');
      return { body: await wireOf(found), etag: formatEtag(found.version) };
    },
  });

  const update = endpoint({
    operationId: 'updatePoll',
    method: 'patch',
    path: '/polls/{id}',
    summary: 'Change a poll',
    description:
      'The interval counts at once; other fields show in what is read from now on. What is polled stays: make another poll for that.',
    tag: 'Polls',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'polls',
    params: pollParams,
    body: updatePollBody,
    requestExample: { intervalSeconds: 900 },
    success: { status: 200, schema: pollSchema, description: 'The poll as changed' },
    errors: ['poll_not_found', 'precondition_failed', 'provider_unknown'],
    async handler({ principal, params, body, request }) {
      const current = await find(principal, params.id, 'write');
      assertIfMatch(request, formatEtag(current.version));
      judgeChange(
        current,
        await deps.providers.find(current.projectId, current.serviceProvider, current.grant),
        body,
      );
      const changed = await db.transaction((trx) => change(trx, principal, current, body, 'poll.updated'));
      return { body: await wireOf(changed), etag: formatEtag(changed.version) };
    },
  });

  const remove = endpoint({
    operationId: 'deletePoll',
    method: 'delete',
    path: '/polls/{id}',
    summary: 'Delete a poll',
    description: 'Its cursors and fingerprints go with it; events that were delivered stay.',
    tag: 'Polls',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'polls',
    params: pollParams,
    success: { status: 204, description: 'Deleted' },
    errors: ['poll_not_found', 'precondition_failed'],
    async handler({ principal, params, request }) {
      const current = await find(principal, params.id, 'write');
      assertIfMatch(request, formatEtag(current.version));
      await db.transaction(async (trx) => {
        if (!(await polls.remove(trx, current))) throw new HttpError('precondition_failed');
        await deps.recordActivity(trx, {
          actor: principal,
          action: 'poll.deleted',
          projectId: current.projectId,
          subjectId: current.id,
          details: { integrationId: current.integrationId, objectType: current.objectType },
        });
      });
      return {};
    },
  });

  return [
    createCreatePollEndpoint(deps),
    list,
    show,
    update,
    remove,
    ...createPollRunsEndpoints(deps, pollAccess),
  ];
}
