import type { z } from 'zod';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionFilter } from '../connections/connections.store.ts';
import type { Principal } from '../http/principal.ts';
import type { EndingSecret } from '../integrations/secrets/secret-records.store.ts';
import { isReservedUserId, operatorSubject } from '../projects/texts.schema.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { ReadIntegrationStates } from './integration-states.ts';
import { judgeSecrets, SECRET_WARNED_MS } from './judge-secrets.ts';
import type { overviewSchema } from './overview.schema.ts';

/** Calls that were kept last: enough to see whether the application has made one. */
const CALLS_LOOKED_AT = 50;

export type Overview = z.input<typeof overviewSchema>;

/** What the overview asks of rooms beside and above the diagnosis. */
export type OverviewSources = {
  listTroubledDestinations(projectId: string): Promise<Overview['destinations']>;
  /** The newest kept calls of a project. */
  listRecentCalls(
    projectId: string,
    limit: number,
  ): Promise<readonly { readonly origin: string; readonly subject: string | null }[]>;
};

type OverviewInput = OverviewSources & {
  readonly readStates: ReadIntegrationStates;
  readonly providers: Providers;
  listEndingSecrets(projectId: string, before: Date): Promise<readonly EndingSecret[]>;
  listConnections(filter: ConnectionFilter): Promise<readonly Connection[]>;
  now(): number;
};

export type ReadOverview = (projectId: string, principal: Principal) => Promise<Overview>;

/** What a project's first page shows, in a handful of queries however many integrations there are. */
export function createReadOverview(deps: OverviewInput): ReadOverview {
  async function judgeEndingSecrets(projectId: string): Promise<Overview['endingSecrets']> {
    const nowMs = deps.now();
    const ending = await deps.listEndingSecrets(projectId, new Date(nowMs + SECRET_WARNED_MS));
    const judged = ending.map(async ({ integrationId, serviceProvider, record }) => {
      const provider = await deps.providers.find(projectId, serviceProvider, null);
      const found = judgeSecrets([record], { provider: provider?.name ?? serviceProvider, nowMs });
      return found.map((finding) => ({ integrationId, finding }));
    });
    return (await Promise.all(judged)).flat();
  }

  async function findTestProvider(projectId: string, principal: Principal): Promise<string | null> {
    if (principal.kind !== 'operator') return null;
    const subject = operatorSubject(principal.operatorId);
    const [newest] = await deps.listConnections({ projectIds: [projectId], subject, limit: 1 });
    return newest?.serviceProvider ?? null;
  }

  return async (projectId, principal) => {
    const [states, endingSecrets, destinations, testProvider, calls] = await Promise.all([
      deps.readStates(projectId),
      judgeEndingSecrets(projectId),
      deps.listTroubledDestinations(projectId),
      findTestProvider(projectId, principal),
      deps.listRecentCalls(projectId, CALLS_LOOKED_AT),
    ]);
    return { states, endingSecrets, destinations, firstSteps: { testProvider, ...judgeCalls(calls) } };
  };
}

/** Whether a provider has answered, and whether it did so for a user of the application. Pure. */
function judgeCalls(calls: readonly { readonly origin: string; readonly subject: string | null }[]) {
  const answered = calls.filter(({ origin }) => origin !== 'gateway');
  return {
    called: answered.length > 0,
    calledForUser: answered.some(({ subject }) => subject !== null && !isReservedUserId(subject)),
  };
}
