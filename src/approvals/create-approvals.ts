import type { RecordActivity } from '../activity/record.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { Kit } from '../platform/kit.ts';
import { describeChange } from './approval-changes.ts';
import { type ApprovalPageDependencies, createApprovalPageRouter } from './approval-page.router.ts';
import { type ApprovalsDependencies, createApprovalsEndpoints } from './approvals.router.ts';
import { approvalsStore } from './approvals.store.ts';
import { createDecide } from './decide.ts';
import { createGate, type GateDependencies } from './gate.ts';
import { createPageSessions } from './page-sessions.ts';
import { createFindPresent } from './present-record.ts';
import { createReadRecord } from './read-record.ts';
import { createSealedCalls } from './sealed-calls.ts';

const EXPIRE_INTERVAL_MS = 10_000;

type ApprovalsInput = Pick<Kit, 'db' | 'vault' | 'log' | 'now' | 'publicUrl'> &
  Pick<GateDependencies, 'lockEndUser' | 'endUserId'> &
  Pick<ApprovalPageDependencies, 'providers' | 'findBrand' | 'findApprovalPage'> & {
    readonly recordActivity: RecordActivity;
    /** Of one address; 0: any number. */
    readonly pagesPerMinute: number;
  };

/** Builds what has calls wait for a person: the proxy's gate, the API, and the page. */
export function createApprovals(input: ApprovalsInput) {
  const { db, recordActivity, pagesPerMinute: limit } = input;
  const { host } = new URL(input.publicUrl);
  const parts = {
    ...input,
    approvals: approvalsStore,
    sealed: createSealedCalls(input),
    sessions: createPageSessions(input),
    decide: createDecide({ approvals: approvalsStore, recordActivity }),
  };
  return {
    gate: createGate(parts),
    router: (above: { readonly proxy: Parameters<typeof createReadRecord>[0]['proxy'] }) =>
      createApprovalPageRouter({
        ...parts,
        findPresent: createFindPresent({ ...parts, readRecord: createReadRecord({ ...above, host }) }),
        ...(limit > 0 && { limiter: createRateLimiter({ limit, windowSeconds: 60 }) }),
      }),
    endpoints: (above: Pick<ApprovalsDependencies, 'access'>): Endpoint[] =>
      createApprovalsEndpoints({ ...parts, ...above }),
    chores: [
      {
        name: 'approvals that run out',
        intervalMs: EXPIRE_INTERVAL_MS,
        run: () =>
          db.transaction(async (trx) => {
            const ended = await approvalsStore.expireOfAnyProject(trx);
            await recordActivity(
              trx,
              ended.map((approval) => describeChange(approval, 'approval.expired', { kind: 'gateway' })),
            );
          }),
      },
      {
        name: 'old approvals',
        ...HOURLY,
        run: (signal) => approvalsStore.purgeOfAnyProject(db, signal),
      },
    ] satisfies Chore[],
  };
}
