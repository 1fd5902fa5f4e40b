import type { Knex } from 'knex';
import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import { createOpenConnection } from '../../src/credentials/calling/connection-client.ts';
import { createClientTokens } from '../../src/credentials/client/client-tokens.ts';
import { createIntegrationClient } from '../../src/credentials/client/integration-client.ts';
import type { AccessTokens } from '../../src/credentials/refreshing/access-tokens.ts';
import { createRefreshStore } from '../../src/credentials/refreshing/refresh.store.ts';
import { createAppendNotices } from '../../src/events/stream/append-notices.ts';
import { createEventStream } from '../../src/events/stream/stream.ts';
import { createIntegrationsStore } from '../../src/integrations/integrations.store.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { createDataKeys } from '../../src/platform/data-keys.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import type { Vault } from '../../src/platform/vault.ts';
import { PollFailure } from '../../src/polls/pages/poll-failure.ts';
import { createOpenCaller, type OpenCaller } from '../../src/polls/pages/provider-caller.ts';
import { createRateBudgetsStore } from '../../src/polls/rate-limits/rate-budgets.store.ts';
import { createRateBudgets } from '../../src/polls/rate-limits/rate-budgets.ts';
import { createFingerprintsStore } from '../../src/polls/records/fingerprints.store.ts';
import { createPollProgressStore } from '../../src/polls/running/poll-progress.store.ts';
import { createRunPoll } from '../../src/polls/running/run-poll.ts';
import { createTakeStep } from '../../src/polls/running/step.ts';

export type RunnerOptions = {
  accessTokens?: Pick<AccessTokens, 'refresh' | 'refreshAfter401'>;
  rateLimit?: unknown;
  openCaller?: OpenCaller;
  isFull?: () => Promise<boolean>;
};

/** What runs polls of a server of the test: everything but the queue and refreshes is the real thing. */
export function createPollRunner(
  { db, vault, crmUrl }: { db: Knex; vault: Vault; crmUrl: string },
  options: RunnerOptions = {},
) {
  const loaded = providerFromFile(
    {
      id: 'fake-crm',
      name: 'Fake CRM',
      auth: 'oauth2',
      authorizationUrl: `${crmUrl}/authorize`,
      tokenUrl: `${crmUrl}/token`,
      apiBaseUrl: crmUrl,
      ...(options.rateLimit !== undefined && { rateLimit: options.rateLimit }),
    },
    { allowPrivateNetworks: true },
  );
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const { provider } = loaded;
  const progressStore = createPollProgressStore();
  const fingerprints = createFingerprintsStore();
  const dataKeys = createDataKeys({ vault });
  const notices = createAppendNotices({ notify: async () => undefined });
  const stream = createEventStream({ db, dataKeys, notices, log: { warn: () => undefined } });
  const rateBudgetsStore = createRateBudgetsStore({ db });
  const rateBudgets = createRateBudgets({ store: rateBudgetsStore, now: Date.now });
  const integrations = createIntegrationsStore({ vault });
  const providers = { find: () => provider };
  const outbound = createOutbound({ allowPrivateNetworks: true });
  const openConnection = createOpenConnection({
    outbound,
    client: createIntegrationClient({ db, providers, integrations, publicUrl: 'http://gateway.test' }),
    readCredentials: createRefreshStore({ db, vault, processKey: 1 }).read,
    accessTokens: options.accessTokens ?? { refresh: neverAsked, refreshAfter401: async () => null },
    now: Date.now,
  });
  const openCaller =
    options.openCaller ??
    createOpenCaller({
      clientTokens: createClientTokens({ tokenEndpoint: createTokenEndpoint({ outbound }), now: Date.now }),
    });
  const outcomes: string[] = [];
  const runPoll = createRunPoll({
    isFull: options.isFull ?? (async () => false),
    db,
    providers,
    progressStore,
    openConnection,
    rateBudgets,
    takeStep: createTakeStep({
      noteAdded: () => undefined,
      openCaller,
      db,
      progressStore,
      fingerprints,
      append: stream.append,
      noteAnswer({ connectionId }, _connection, { status, headers }) {
        const watch = { budgetId: connectionId, rules: provider };
        const learned = rateBudgets.learn(
          watch,
          status,
          (name) => [headers[name.toLowerCase()] ?? []].flat()[0],
        );
        if (learned?.pausedForMs != null) throw new PollFailure('rate_limited', null, learned.pausedForMs);
      },
    }),
    countRun: (outcome) => outcomes.push(outcome),
    random: () => 0,
    log: { warn: () => undefined },
  });

  return {
    progressStore,
    fingerprints,
    dataKeys,
    rateBudgets,
    rateBudgetsStore,
    openConnection,
    openCaller,
    outcomes,
    runPoll,
  };
}

async function neverAsked(): Promise<never> {
  throw new Error('no refresh was expected');
}
