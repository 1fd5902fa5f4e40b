import type { Endpoint } from '../http/endpoint.ts';
import type { Authenticate } from '../http/principal.ts';
import type { Kit } from '../platform/kit.ts';
import type { Parties } from '../platform/postgres/parties.ts';
import type { Access } from '../projects/access.ts';
import { createCallRecorder } from './call-recorder.ts';
import { createCallsEndpoints } from './calls.router.ts';
import { createMandateUsesEndpoints } from './mandate-uses.router.ts';
import { listCalls } from './recent-calls.store.ts';
import { createStatsEndpoints } from './stats.router.ts';
import { sumIntegrations } from './stats.store.ts';
import { createTailEndpoints } from './tail.router.ts';
import { createTails } from './tail.ts';

export type CallLogInput = Pick<Kit, 'db' | 'log' | 'now'> & {
  readonly settings: Parameters<typeof createCallRecorder>[0]['settings'];
  readonly parties: Parties;
  isDraining(): boolean;
};

/** Builds what counts proxied calls, keeps some, and shows them. */
export function createCallLog(input: CallLogInput) {
  const { db } = input;
  const tails = createTails(input);
  const recorder = createCallRecorder({ ...input, tail: tails });
  return {
    record: recorder.record,
    chores: recorder.chores,
    handleNotice: tails.handleNotice,
    listRecent: (projectId: string, limit: number) => listCalls(db, { projectId, limit }),
    /** Calls and errors since then of each of the integrations that had any, by its id. */
    async sumCallsOf(filter: Parameters<typeof sumIntegrations>[1]) {
      const rows = await sumIntegrations(db, filter);
      return new Map(
        rows.map(({ integration_id, calls, errors, last_call_at }) => [
          integration_id,
          { callsDay: calls, errorsDay: errors, lastCallAt: last_call_at?.toISOString() ?? null },
        ]),
      );
    },
    endpoints: (above: { readonly access: Access; readonly authenticate: Authenticate }): Endpoint[] => [
      ...createStatsEndpoints({ ...input, ...above }),
      ...createCallsEndpoints({ ...input, ...above }),
      ...createMandateUsesEndpoints({ ...input, ...above }),
      ...createTailEndpoints({ ...above, tails }),
    ],
  };
}
