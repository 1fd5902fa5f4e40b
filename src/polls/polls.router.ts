import type { RecordActivity } from '../activity/record.ts';
import type { Provider } from '../catalog/provider.schema.ts';
import type { OpenConnection } from '../credentials/provider-calls.ts';
import { assertIfMatch, etagOf } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { type Principal, principalId } from '../http/principal.ts';
import type { Integration, IntegrationsStore } from '../integrations/integrations.store.ts';
import { decodeCursor, page } from '../lib/cursor.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import { dryRunPoll } from './dry-run.ts';
import type { JobKey, PollConnectionsStore } from './poll-connections.store.ts';
import { chooseResource, judgeChange } from './poll-rules.ts';
import { toPolledConnectionWire, toPollWire } from './poll-wire.ts';
import {
  createPollBody,
  createPollQuery,
  pollConnectionsQuery,
  pollDryRun,
  polledConnectionList,
  pollList,
  pollParams,
  pollSchema,
  pollsQuery,
  updatePollBody,
} from './polls.schema.ts';
import type { Poll, PollChange, PollsStore } from './polls.store.ts';

const POLLS_PER_PROJECT_MAX = 200;
/** Connections that a new poll, or one that is to run, takes up at once; a chore takes up the rest within seconds. */
const CONNECTIONS_AT_ONCE = 500;
/** A described resource with its templates. */
const BODY_BYTES_MAX = 64 * 1024;

export type PollsDependencies = {
  db: Db;
  access: Access;
  providers: NamedProviders;
  integrations: Pick<IntegrationsStore, 'find'>;
  polls: PollsStore;
  connections: PollConnectionsStore;
  openConnection: OpenConnection;
  /** Undefined where the integration has no such connection that works. */
  chooseConnection(integration: Integration, connectionId: string | undefined): Promise<string | undefined>;
  /** Runs a check of a provider within what a project may ask for. */
  runCheck<Result>(projectId: string, check: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  addJobs(db: Db, keys: readonly JobKey[]): Promise<void>;
  recordActivity: RecordActivity;
  publicUrl: string;
  now(): number;
};

/** Polls of a project's integrations, and how they come on. */
export function createPollsEndpoints(deps: PollsDependencies): Endpoint[] {
  const { db, access, polls, connections } = deps;

  async function findFor(principal: Principal, id: string, mode: 'read' | 'write'): Promise<Poll> {
    const found = await polls.find(db, id, await access.projectsOf(principal));
    if (found === undefined) throw new HttpError('poll_not_found');
    if (mode === 'write') await access.requireProjectAccess(principal, found.projectId, 'write');
    return found;
  }

  async function findIntegration(
    principal: Principal,
    id: string,
  ): Promise<{ integration: Integration; provider: Provider }> {
    const integration = await deps.integrations.find(db, id, await access.projectsOf(principal));
    if (integration === undefined) throw new HttpError('integration_not_found');
    await access.requireProjectAccess(principal, integration.projectId, 'write');
    const provider = await deps.providers.find(integration.projectId, integration.serviceProvider);
    if (provider === undefined)
      throw deps.providers.refusalOf(integration.projectId, integration.serviceProvider);
    return { integration, provider };
  }

  async function wireOf(poll: Poll, on: Db = db) {
    return toPollWire(poll, (await polls.counts(on, [poll])).get(poll.id));
  }

  const create = endpoint({
    operationId: 'createPoll',
    method: 'post',
    path: '/polls',
    summary: 'Poll a provider',
    description:
      'Asks the provider for changed records, for every connection of the integration, and delivers what is new as events. With `dryRun=true` nothing is stored: the reply shows the requests for one connection, and the first records.',
    tag: 'Polls',
    principals: ['operator', 'api_key'],
    query: createPollQuery,
    body: createPollBody,
    bodyBytesMax: BODY_BYTES_MAX,
    requestExample: { integrationId: EXAMPLE_ID, resource: 'contacts', intervalSeconds: 300 },
    success: { status: 201, schema: pollSchema, description: 'The poll' },
    otherSuccess: { status: 200, schema: pollDryRun, description: 'A dry run: what was asked and answered' },
    errors: [
      'integration_not_found',
      'connection_not_found',
      'insufficient_role',
      'poll_exists',
      'provider_unknown',
      'rate_limited',
    ],
    async handler({ principal, query, body, commitReply }) {
      const { integration, provider } = await findIntegration(principal, body.integrationId);
      const { resource, toInsert } = chooseResource(provider, integration, body);
      if (query.dryRun === 'true') {
        const connectionId = await deps.chooseConnection(integration, query.connectionId);
        if (connectionId === undefined) throw new HttpError('connection_not_found');
        const { projectId } = integration;
        const { fields, parameters, backfill, deletes } = toInsert;
        const options = { fields, parameters, backfill, deletes, scanIntervalMs: 0 };
        const otherBody = await deps.runCheck(projectId, async (signal) => {
          const connection = await deps.openConnection({ connectionId, projectId });
          const given = { connectionId, connection, resource, options };
          return dryRunPoll(given, { nowMs: deps.now(), signal });
        });
        return { otherBody };
      }
      return commitReply(db, async (trx) => {
        if ((await polls.countOfProject(trx, integration.projectId)) >= POLLS_PER_PROJECT_MAX) {
          throw new HttpError('invalid_request', {
            detail: `A project may have ${POLLS_PER_PROJECT_MAX} polls.`,
          });
        }
        const made = await polls.insert(trx, { ...toInsert, createdBy: principalId(principal) });
        if (made === undefined) throw new HttpError('poll_exists');
        await deps.addJobs(trx, await connections.join(trx, { pollId: made.id }, CONNECTIONS_AT_ONCE));
        await deps.recordActivity(trx, {
          actor: principal,
          action: 'poll.created',
          projectId: made.projectId,
          subjectId: made.id,
          details: { integrationId: made.integrationId, objectType: made.objectType },
        });
        return {
          body: toPollWire(made),
          etag: etagOf(made.version),
          headers: { Location: `${deps.publicUrl}/v1/polls/${made.id}` },
        };
      });
    },
  });

  const list = endpoint({
    operationId: 'listPolls',
    method: 'get',
    path: '/polls',
    summary: 'List polls',
    tag: 'Polls',
    principals: ['operator', 'api_key'],
    query: pollsQuery,
    success: { status: 200, schema: pollList, description: 'Polls, newest first' },
    async handler({ principal, query }) {
      const visible = await access.projectsOf(principal);
      const { projectId } = query;
      const projectIds =
        projectId === undefined ? visible : visible.filter((id) => id === projectId.toLowerCase());
      const filter = { projectIds, integrationId: query.integrationId, beforeId: decodeCursor(query.cursor) };
      const rows = await polls.list(db, { ...filter, limit: query.limit + 1 });
      const { items, nextCursor } = page(rows, query.limit);
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
    params: pollParams,
    success: { status: 200, schema: pollSchema, description: 'The poll' },
    errors: ['poll_not_found'],
    async handler({ principal, params }) {
      const found = await findFor(principal, params.id, 'read');
      return { body: await wireOf(found), etag: etagOf(found.version) };
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
    params: pollParams,
    body: updatePollBody,
    requestExample: { intervalSeconds: 900 },
    success: { status: 200, schema: pollSchema, description: 'The poll as changed' },
    errors: ['poll_not_found', 'insufficient_role', 'precondition_failed', 'provider_unknown'],
    async handler({ principal, params, body, request }) {
      const current = await findFor(principal, params.id, 'write');
      assertIfMatch(request, etagOf(current.version));
      judgeChange(current, await deps.providers.find(current.projectId, current.serviceProvider), body);
      const changed = await db.transaction((trx) => change(trx, principal, current, body, 'poll.updated'));
      return { body: await wireOf(changed), etag: etagOf(changed.version) };
    },
  });

  async function change(
    trx: Db,
    principal: Principal,
    current: Poll,
    given: PollChange & { pausedAt?: Date | null },
    action: 'poll.updated' | 'poll.paused' | 'poll.resumed',
  ): Promise<Poll> {
    const row = await polls.update(trx, current, { ...given, updatedBy: principalId(principal) });
    if (row === undefined) throw new HttpError('precondition_failed');
    if (row.pausedAt === null) {
      await deps.addJobs(trx, await connections.makeDue(trx, row.id, CONNECTIONS_AT_ONCE));
    }
    await deps.recordActivity(trx, {
      actor: principal,
      action,
      projectId: row.projectId,
      subjectId: row.id,
      details: { fields: action === 'poll.updated' ? Object.keys(given) : [] },
    });
    return row;
  }

  const remove = endpoint({
    operationId: 'deletePoll',
    method: 'delete',
    path: '/polls/{id}',
    summary: 'Delete a poll',
    description: 'Its cursors and fingerprints go with it; events that were delivered stay.',
    tag: 'Polls',
    principals: ['operator', 'api_key'],
    params: pollParams,
    success: { status: 204, description: 'Deleted' },
    errors: ['poll_not_found', 'insufficient_role', 'precondition_failed'],
    async handler({ principal, params, request }) {
      const current = await findFor(principal, params.id, 'write');
      assertIfMatch(request, etagOf(current.version));
      await db.transaction(async (trx) => {
        await polls.remove(trx, current);
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

  const pause = endpoint({
    ...switching('pausePoll', 'pause', 'Pause a poll', 'The page that is being read is still told.'),
    params: pollParams,
    principals: ['operator', 'api_key'],
    success: { status: 200, schema: pollSchema, description: 'The poll' },
    async handler({ principal, params, commitReply }) {
      const current = await findFor(principal, params.id, 'write');
      return commitReply(db, async (trx) => {
        const given = { pausedAt: new Date(deps.now()) };
        const isPaused = current.pausedAt !== null;
        const row = isPaused ? current : await change(trx, principal, current, given, 'poll.paused');
        return { body: await wireOf(row, trx) };
      });
    },
  });

  const resume = endpoint({
    ...switching('resumePoll', 'resume', 'Resume a poll', 'It goes on where it was paused.'),
    params: pollParams,
    principals: ['operator', 'api_key'],
    success: { status: 200, schema: pollSchema, description: 'The poll' },
    async handler({ principal, params, commitReply }) {
      const current = await findFor(principal, params.id, 'write');
      return commitReply(db, async (trx) => {
        const isWorking = current.pausedAt === null;
        const row = isWorking
          ? current
          : await change(trx, principal, current, { pausedAt: null }, 'poll.resumed');
        return { body: await wireOf(row, trx) };
      });
    },
  });

  const run = endpoint({
    ...switching(
      'runPoll',
      'run',
      'Run a poll now',
      'For all of its connections; refused while it is paused.',
    ),
    params: pollParams,
    principals: ['operator', 'api_key'],
    success: { status: 200, schema: pollSchema, description: 'It runs' },
    errors: ['poll_not_found', 'insufficient_role', 'poll_paused'],
    async handler({ principal, params, commitReply }) {
      const current = await findFor(principal, params.id, 'write');
      if (current.pausedAt !== null) throw new HttpError('poll_paused');
      return commitReply(db, async (trx) => {
        await deps.addJobs(trx, await connections.makeDue(trx, current.id, CONNECTIONS_AT_ONCE));
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
    params: pollParams,
    query: pollConnectionsQuery,
    success: { status: 200, schema: polledConnectionList, description: 'Its connections, newest first' },
    errors: ['poll_not_found'],
    async handler({ principal, params, query }) {
      const { id } = await findFor(principal, params.id, 'read');
      const filter = { afterId: decodeCursor(query.cursor), connectionId: query.connectionId };
      const rows = await connections.listOfPoll(db, id, { ...filter, limit: query.limit + 1 });
      const named = rows.map((row) => ({ ...row, id: row.connectionId }));
      const { items, nextCursor } = page(named, query.limit);
      return { body: { connections: items.map(toPolledConnectionWire), nextCursor } };
    },
  });

  return [create, list, show, update, remove, pause, resume, run, listConnections];
}

function switching(operationId: string, verb: string, summary: string, description: string) {
  return {
    operationId,
    method: 'post',
    path: `/polls/{id}/${verb}`,
    summary,
    description,
    tag: 'Polls',
    errors: ['poll_not_found', 'insufficient_role', 'precondition_failed'],
  } as const;
}

const EXAMPLE_ID = '0198b3a4-5d1e-7c02-9f00-1a2b3c4d5e6f';
