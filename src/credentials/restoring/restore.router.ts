import { z } from 'zod';
import type { RecordActivity } from '../../activity/record.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { findRestore, listDeathsOfAnyProject, resume } from './restores.store.ts';

export type RestoreEndpointsDependencies = {
  readonly db: Db;
  readonly recordActivity: RecordActivity;
  /** Throws `forbidden` for operators who do not own the gateway. */
  requireGatewayOwner(operatorId: string): Promise<void>;
  /** Reads whether the gateway is held. */
  loadHolds(): Promise<void>;
};

const TAG = 'Signing in';
const DEATHS_MAX = 1_000;

const restoreSchema = z
  .object({
    state: z.enum(['running', 'held', 'probing', 'resumed']).meta({
      description:
        '`running`: it was never started with RESTORED. `held`: nothing is refreshed, delivered or polled. `probing`: the connections are asked about at their providers, and it goes on afterwards.',
    }),
    heldAt: z.iso.datetime().nullable(),
    resumedAt: z.iso.datetime().nullable(),
    probed: z.number().int().meta({ description: 'Without the connections of frozen projects.' }),
    alive: z.number().int(),
    died: z.number().int().meta({
      description:
        'Connections whose credentials were spent after the backup: their users have to authorize again. What neither lives nor died could not be found out.',
    }),
    deaths: z
      .array(
        z.object({
          projectId: z.uuid(),
          connectionId: z.uuid(),
          integrationId: z.uuid(),
          serviceProvider: z.string(),
          reason: z.string(),
        }),
      )
      .meta({ description: 'Those that died, 1,000 at a time, in the order of their ids.' }),
    nextCursor: z.uuid().nullable(),
  })
  .meta({ id: 'GatewayRestore' });

const restoreQuery = z.strictObject({ cursor: z.uuid().optional() });
const resumeBody = z.strictObject({
  probe: z
    .boolean()
    .default(true)
    .meta({ description: 'False: goes on at once, and finds out with each call what died.' }),
});

/** Lets a gateway go on that was started on a restored backup. */
export function createRestoreEndpoints(deps: RestoreEndpointsDependencies): Endpoint[] {
  const { db } = deps;
  const read = endpoint({
    operationId: 'getGatewayRestore',
    method: 'get',
    path: '/gateway/restore',
    summary: 'Read what became of a restored backup',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    query: restoreQuery,
    success: { status: 200, schema: restoreSchema, description: 'The last restore' },
    errors: ['forbidden'],
    async handler({ principal, query }) {
      await deps.requireGatewayOwner(principal.operatorId);
      return { body: await describeRestore(db, query.cursor) };
    },
  });
  const goOn = endpoint({
    operationId: 'resumeGateway',
    method: 'post',
    path: '/gateway/resume',
    summary: 'Resume a restored gateway',
    description:
      'Every connection is probed first, by a refresh where there is one: tokens that were rotated after the backup are spent, and these connections are listed. Then refreshing, polling and delivering go on, on every replica within a second.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    body: resumeBody,
    requestExample: { probe: false },
    success: { status: 202, schema: restoreSchema, description: 'It goes on, or is probed first' },
    errors: ['forbidden', 'gateway_not_held'],
    async handler({ principal, body: { probe }, commitReply }) {
      await deps.requireGatewayOwner(principal.operatorId);
      const reply = await commitReply(db, async (trx) => {
        if ((await findRestore(trx))?.state !== 'held') throw new HttpError('gateway_not_held');
        await resume(trx, { probe });
        await deps.recordActivity(trx, {
          projectId: null,
          actor: principal,
          action: 'gateway.resumed',
          subjectId: null,
          details: { probe },
        });
        return { body: await describeRestore(trx) };
      });
      await deps.loadHolds();
      return reply;
    },
  });
  return [read, goOn];
}

async function describeRestore(db: Db, afterId?: string): Promise<z.input<typeof restoreSchema>> {
  const restore = await findRestore(db);
  if (restore === undefined) return NEVER;
  const { state, heldAt, resumedAt, probed, alive, died } = restore;
  const deaths = await listDeathsOfAnyProject(db, restore.id, { afterId, limit: DEATHS_MAX });
  const next = deaths.length === DEATHS_MAX ? deaths.at(-1)?.connectionId : undefined;
  return {
    ...{ state, probed, alive, died, deaths },
    heldAt: heldAt.toISOString(),
    resumedAt: resumedAt?.toISOString() ?? null,
    nextCursor: next ?? null,
  };
}

const NEVER = {
  ...{ state: 'running' as const, heldAt: null, resumedAt: null },
  ...{ probed: 0, alive: 0, died: 0, deaths: [], nextCursor: null },
};
