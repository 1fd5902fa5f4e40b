import { createClientDiagnosis } from '../../src/diagnosis/client-diagnosis.ts';
import type { ClientProbe } from '../../src/diagnosis/client-probe.schema.ts';
import type { KeptProbe } from '../../src/diagnosis/probes.store.ts';
import { HttpError } from '../../src/http/errors.ts';
import { newId } from '../../src/lib/ids.ts';
import { acmeIntegration, acmeProvider } from '../support/acme-provider.ts';
import { until } from '../support/until.ts';

const INTEGRATION = acmeIntegration({ id: newId(), projectId: newId() });

const ACCEPTED: ClientProbe = {
  token: {
    verdict: 'accepted',
    origin: 'https://acme.example',
    code: 'invalid_grant',
    words: null,
    status: 400,
    failure: null,
    durationMs: 1,
    skewMs: 0,
  },
  reason: null,
  older: null,
  otherRegion: null,
  isSwapped: false,
  authorization: null,
};

const COUNTS = {
  opened: 0,
  sentToProvider: 0,
  cameBack: 0,
  completed: 0,
  notReturned: 0,
  abandoned: 0,
  lastCompletedAt: null,
};

/** A diagnosis over a store in memory, whose provider answers when `probeClient` does. */
function createDiagnosis(probeClient: () => Promise<ClientProbe>) {
  let kept: KeptProbe | undefined;
  return createClientDiagnosis({
    prepareServer: async (target) => ({ ok: true, target }),
    providers: { find: async () => acmeProvider() },
    probes: {
      read: async () => kept,
      claim: async () => true,
      keep: async (_integration, facts) => {
        kept = { checkedAt: new Date(), facts, isFresh: true };
      },
    },
    signIns: { count: async () => COUNTS, failures: async () => [] },
    connections: {
      read: async () => ({ looked: 0, troubles: [], grantedScopes: [] }),
      newestVariables: async () => ({}),
      refreshAnswer: async () => undefined,
      countUses: async () => ({ connections: 0, users: 0, isAtLeast: false }),
    },
    listRefusedClients: async () => [],
    probeClient,
    runCheck: (_projectId, check) => check(AbortSignal.timeout(10_000)),
    clientOf: async () => ({ clientId: 'client', clientSecrets: ['secret'] }),
    isFull: async () => false,
    listSecrets: async () => [],
    readSurroundings: async () => ({
      publicUrl: 'https://gw.test',
      allowedOrigins: [],
      returnUrls: [],
      isOnlyProject: true,
      noticed: [],
      clockSkewMs: 0,
      nowMs: Date.now(),
    }),
    readEventFlow: async () => ({ polls: [], webhooks: [], failedDestinations: [] }),
    readWebhookFacts: async () => undefined,
    publicUrl: 'https://gw.test',
    patienceMs: 20,
    now: Date.now,
  });
}

const codesOf = ({ findings }: { findings: { code: string }[] }) => findings.map(({ code }) => code);

describe('a diagnosis of a provider that takes its time', () => {
  it('tells what is known, and what the provider says once it has said it', async () => {
    const { promise, resolve } = Promise.withResolvers<ClientProbe>();
    const { diagnose } = createDiagnosis(() => promise);
    expect(codesOf(await diagnose(INTEGRATION, 'if_outdated'))).toEqual(['client_not_checked']);
    const forced = diagnose(INTEGRATION, 'always');
    resolve(ACCEPTED);
    expect(codesOf(await forced)).toEqual(['client_accepted']);
    expect(codesOf(await diagnose(INTEGRATION, 'never'))).toEqual(['client_accepted']);
  });

  it('asks once for all who wait', async () => {
    const { promise, resolve } = Promise.withResolvers<ClientProbe>();
    let asked = 0;
    const { diagnose } = createDiagnosis(() => {
      asked += 1;
      return promise;
    });
    const both = Promise.all([diagnose(INTEGRATION, 'always'), diagnose(INTEGRATION, 'always')]);
    await until(() => asked > 0);
    resolve(ACCEPTED);
    for (const answer of await both) expect(codesOf(answer)).toEqual(['client_accepted']);
    expect(asked).toBe(1);
  });

  it('tells what is known where too many checks are under way', async () => {
    const { diagnose } = createDiagnosis(() => Promise.reject(new HttpError('rate_limited')));
    expect(codesOf(await diagnose(INTEGRATION, 'always'))).toEqual(['client_not_checked']);
  });
});
