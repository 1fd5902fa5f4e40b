import { readdirSync } from 'node:fs';
import { createCatalog } from '../../src/catalog/loading/catalog.ts';
import { composeGateway } from '../../src/compose/gateway.ts';
import { loadConfig } from '../../src/config.ts';
import { createRenewalsStore } from '../../src/credentials/refreshing/renewals.store.ts';
import { createRenewals } from '../../src/credentials/refreshing/renewals.worker.ts';
import { createRevocationsStore } from '../../src/credentials/revoking/revocations.store.ts';
import { createRevocations } from '../../src/credentials/revoking/revocations.worker.ts';
import { createRunCheck } from '../../src/diagnosis/bounded-probe.ts';
import { newId } from '../../src/lib/ids.ts';
import { CHANGE_CHANNEL } from '../../src/platform/change-notices.ts';
import { createJobQueue } from '../../src/platform/job-queue.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createParties } from '../../src/platform/postgres/parties.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { createTestDatabase } from '../support/postgres.ts';
import {
  createTestVault,
  insertConnection,
  insertGrantsToRevoke,
  insertOwner,
  insertProject,
} from '../support/rows.ts';
import { until } from '../support/until.ts';

const test = await createTestDatabase({ poolMax: 20 });
const db = test.knex;
const vault = createTestVault();
const log = createLogger({ level: 'silent', destination: { write: () => undefined } });
const ended: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ended) await end();
  await test.drop();
});

/** A project of this owner; every project of one owner is of one party. */
async function ownedProject(operatorId: string): Promise<string> {
  const projectId = await insertProject(db);
  await db('project_members').insert({ project_id: projectId, operator_id: operatorId, role: 'owner' });
  return projectId;
}
async function newOwner(): Promise<string> {
  const id = newId();
  await db('operators').insert({ id, email: `${id}@example.test`, password_hash: 'x' });
  return id;
}

const greedy = await newOwner();
/** Further projects bring no further share. */
const greedyProjects = [await ownedProject(greedy), await ownedProject(greedy), await ownedProject(greedy)];
const modestProject = await ownedProject(await newOwner());
const parties = createParties();

/** What a kind of work does with the keys of projects: those of the greedy ones never end. */
type Kind = {
  readonly name: string;
  /** Begins the work: for the greedy projects first, more than there are places, then once for the modest one. */
  begin(): Promise<{ begun(): readonly string[] }>;
};

const hang = () => new Promise<never>(() => undefined);

/** A queue as the gateway has it, with the names and places of the gateway's own. */
function jobKind(name: string, places: number): Kind {
  return {
    name,
    async begin() {
      const begun: string[] = [];
      const options = { db, log, channel: CHANGE_CHANNEL, parties, stopLimitMs: 10 };
      const queue = createJobQueue({ ...options, processKey: 7 });
      queue.work(name, { concurrency: places }, (key) => {
        begun.push(key.split('-')[0] ?? '');
        return key.startsWith('modest') ? Promise.resolve(undefined) : hang();
      });
      await queue.start();
      ended.push(queue.stop);
      const many = Array.from({ length: places * 2 }, (_, index) => ({
        key: `greedy-${index}`,
        projectId: greedyProjects[index % greedyProjects.length] ?? '',
      }));
      await queue.addAll(db, name, many);
      await until(() => begun.length >= Math.floor(places / 2));
      await queue.add(db, name, { key: 'modest-1', projectId: modestProject });
      return { begun: () => begun };
    },
  };
}

const revocations: Kind = {
  name: 'revocations',
  async begin() {
    const begun: string[] = [];
    const worker = createRevocations({
      db,
      store: createRevocationsStore({ db, vault }),
      tokenEndpoint: {
        revoke: ({ messages: [message] }, signal) => {
          begun.push(message?.url.includes('modest') ? 'modest' : 'greedy');
          return new Promise((resolve) => {
            const aborted = {
              ok: false,
              kind: 'transient',
              errorCode: 'aborted',
              delivery: 'answered',
            } as const;
            signal?.addEventListener('abort', () => resolve(aborted));
          });
        },
      },
      isConsentHeld: async () => false,
      recordActivity: async () => undefined,
      log,
    });
    ended.push(worker.stop);
    const origins = Array.from({ length: 64 }, (_, index) => `https://p${index}.example`);
    await insertGrantsToRevoke(db, vault, origins);
    const [{ project_id: first }] = await db('grants_to_revoke').select('project_id');
    await db('project_members').insert({ project_id: first, operator_id: greedy, role: 'owner' });
    await worker.run();
    await until(() => begun.length === 16);
    await insertGrantsToRevoke(db, vault, ['https://modest.example']);
    await worker.run();
    return { begun: () => begun };
  },
};

const renewals: Kind = {
  name: 'renewals',
  async begin() {
    const begun: string[] = [];
    const expiring = async (operatorId: string | undefined, secondsLeft: number) => {
      const owner = await insertOwner(db, vault, 'self');
      if (operatorId !== undefined) {
        const member = { project_id: owner.projectId, operator_id: operatorId, role: 'owner' };
        await db('project_members').insert(member);
      }
      const token = {
        accessTokenExpiresAt: new Date(Date.now() + secondsLeft * 1000),
        accessTokenLifetimeSeconds: 86_400,
      };
      await insertConnection(db, vault, owner, token);
      return owner.projectId;
    };
    for (let one = 0; one < 12; one += 1) await expiring(greedy, 100);
    const modest = await expiring(undefined, 3_000);
    const renew = createRenewals({
      store: createRenewalsStore({ db }),
      accessTokens: {
        refresh: ({ projectId }) => {
          begun.push(projectId === modest ? 'modest' : 'greedy');
          return hang();
        },
      },
      findProviders: createCatalog([
        acmeProvider({ id: 'self', refreshWith: 'access_token', refreshParams: { token: '{accessToken}' } }),
      ]).findAll,
      random: () => 0,
      log,
    });
    void renew(new AbortController().signal);
    return { begun: () => begun };
  },
};

const checks: Kind = {
  name: 'checks of providers',
  async begin() {
    const begun: string[] = [];
    const runCheck = createRunCheck({ partyOf: (projectId) => parties.partyOf(db, projectId) });
    const run = (projectId: string, who: string) =>
      runCheck(projectId, () => {
        begun.push(who);
        return hang();
      }).catch(() => undefined);
    for (const projectId of [...greedyProjects, ...greedyProjects, ...greedyProjects])
      void run(projectId, 'greedy');
    await until(() => begun.length === 4);
    void run(modestProject, 'modest');
    return { begun: () => begun };
  },
};

const kinds = composeGateway({
  config: loadConfig(
    { DATABASE_URL: test.url, ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}` },
    '/',
  ),
  database: { ...test, patience: 1, close: test.drop },
  directUrl: test.url,
  vault,
  catalog: createCatalog([]),
  log,
  isDraining: () => false,
}).jobKinds();

describe('work in the background, for one party at a provider that hangs,', () => {
  it.each([...kinds.map(({ name, places }) => jobKind(name, places)), revocations, renewals, checks])(
    'leaves places for the work of another: $name',
    async ({ begin }) => {
      const { begun } = await begin();
      await until(() => begun().includes('modest'));
      expect(begun().filter((who) => who === 'greedy').length).toBeGreaterThan(0);
    },
  );

  it('is of these kinds; a new one belongs in the table above', () => {
    expect(kinds.map(({ name }) => name).sort()).toEqual([
      'deliver',
      'deliver-failing',
      'erase-deleted',
      'erase-user',
      'poll',
      'replay-events',
      'revoke-all',
      'webhook-subscriptions',
    ]);
    const workers = readdirSync('src', { recursive: true, encoding: 'utf8' });
    // Those of deliveries and replays are jobs; those of sessions and webhooks ask no server.
    expect(workers.filter((path) => path.endsWith('.worker.ts')).sort()).toEqual([
      'connect/sessions.worker.ts',
      'credentials/refreshing/renewals.worker.ts',
      'credentials/revoking/revocations.worker.ts',
      'events/deliveries/deliveries.worker.ts',
      'events/replays/replays.worker.ts',
      'webhooks/processing/processing.worker.ts',
    ]);
  });
});
