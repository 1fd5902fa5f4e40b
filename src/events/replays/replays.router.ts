import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import type { JobQueue } from '../../platform/job-queue.ts';
import type { DestinationContext } from '../destinations/destination-context.ts';
import { destinationParams } from '../destinations/destinations.schema.ts';
import { assertMayAudit } from '../reading/audit-types.ts';
import { createPlanReplay } from './plan-replay.ts';
import { replayBody, replayList, replaySchema } from './replays.schema.ts';
import { insertReplay, listReplays } from './replays.store.ts';
import { REPLAY_JOB } from './replays.worker.ts';

const TAG = 'Events';

/** Sends a part of the feed to a destination again, and shows which replays are under way. */
export function createReplaysEndpoints(
  deps: DestinationContext & {
    readonly jobs: Pick<JobQueue, 'add'>;
    /** How long events are kept. */
    readonly keepMs: number;
    now(): number;
  },
): Endpoint[] {
  const { db } = deps;
  const planReplay = createPlanReplay(deps);

  const replay = endpoint({
    operationId: 'replayEvents',
    method: 'post',
    path: '/event-destinations/{id}/replay',
    summary: 'Send events again',
    description:
      'The events behind one (`after`) or of a time (`from`, `to`), as far as they are kept and the destination wants them; each under its `webhook-id`. Runs in the background.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'events:manage',
    params: destinationParams,
    body: replayBody,
    requestExample: { from: '2026-11-20T00:00:00Z', states: ['dead'] },
    changesNothing: true,
    success: { status: 202, schema: replaySchema, description: 'The replay has begun' },
    errors: ['destination_not_found', 'replay_limit', 'events_expired'],
    async handler({ principal, params, body, commitReply }) {
      const found = await deps.find(principal, params.id, 'write');
      assertMayAudit(principal, found.types);
      const plan = await planReplay(found, body);
      return commitReply(db, async (trx) => {
        const created = await insertReplay(trx, plan);
        await deps.jobs.add(trx, REPLAY_JOB, { key: created.id, projectId: found.projectId });
        const events = created.toPosition - created.position;
        return { body: { id: created.id, destinationId: found.id, events } };
      });
    },
  });

  const replays = endpoint({
    operationId: 'listReplays',
    method: 'get',
    path: '/event-destinations/{id}/replays',
    summary: 'Show how replays come on',
    description: 'Those that are under way; one that is done is not listed any more.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'events:read',
    params: destinationParams,
    success: { status: 200, schema: replayList, description: 'Replays under way' },
    errors: ['destination_not_found'],
    async handler({ principal, params }) {
      const { id } = await deps.find(principal, params.id, 'read');
      const found = await listReplays(db, id);
      return {
        body: { replays: found.map((one) => ({ ...one, createdAt: one.createdAt.toISOString() })) },
      };
    },
  });

  return [replay, replays];
}
