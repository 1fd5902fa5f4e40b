import { Readable } from 'node:stream';
import { loadConfig } from '../../src/config.ts';
import { openKms } from '../../src/platform/kms/open-kms.ts';
import { createWrappedKeys } from '../../src/platform/kms/wrapped-keys.ts';
import { countRowsByKeyId } from '../../src/platform/vault-rotation.store.ts';
import { runOperatorCommand } from '../../src/process/operator-command.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  type ApiCall,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { createEncryptionKey } from '../support/gateway-environment.ts';
import { startVault } from '../support/kms-services.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startTokenProvider, type TokenProvider } from '../support/token-provider.ts';
import { until } from '../support/until.ts';

const CONFIGURED = createEncryptionKey('k1');

let vault: Awaited<ReturnType<typeof startVault>>;
let provider: TokenProvider;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let database: TestDatabase;
let project: Project;
let integrationId: string;
const running = new Set<Gateway>();
const logs: string[] = [];

const kmsEnv = () => ({
  ENCRYPTION_KMS: 'vault-transit:transit/kek',
  VAULT_ADDR: vault.url,
  VAULT_TOKEN: vault.tokens.now,
});
const WITHOUT_KEYS = { ENCRYPTION_KEYS: '' };

async function start(env: Record<string, string>): Promise<Gateway> {
  const gateway = await startGateway({ databaseUrl: database.url, catalogDir: catalog.path, env });
  running.add(gateway);
  return gateway;
}

async function stop(gateway: Gateway): Promise<void> {
  running.delete(gateway);
  await gateway.stop();
  logs.push(gateway.logs());
}

async function refusalOf(env: Record<string, string>): Promise<string> {
  const outcome = await start(env).catch((error: unknown) => error);
  if (outcome instanceof Error) return outcome.message;
  throw new Error('the gateway started');
}

const api = (gateway: Gateway, method: string, path: string, call: ApiCall = {}) =>
  callApiOk(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, ...call });

async function connect(gateway: Gateway, userId: string): Promise<void> {
  const { access_token: accessToken, refresh_token: refreshToken } = provider.issue();
  const credentials = { accessToken, refreshToken, expiresAt: '2020-01-01T00:00:00Z' };
  await api(gateway, 'POST', '/connections', { body: { integrationId, userId, credentials } });
}

async function call(gateway: Gateway, userId: string): Promise<number> {
  const answer = await fetch(`${gateway.url}/projects/${project.id}/proxy/good/a`, {
    headers: { authorization: `Bearer ${project.userToken(userId)}` },
  });
  return answer.status;
}

/** As the page of the gateway counts them. */
async function sealedBy(): Promise<string[]> {
  const { rows } = await database.knex.raw(
    `SELECT DISTINCT split_part(credentials_sealed, '.', 2) AS id FROM connections ORDER BY 1`,
  );
  return rows.map((row: { id: string }) => row.id);
}

const states = async (): Promise<string[]> =>
  database.knex('key_encryption_keys').orderBy('created_at').pluck('state');
/** The minute that a new key waits at least. */
const letTimePass = () =>
  database.knex.raw(`UPDATE key_encryption_keys SET created_at = created_at - interval '2 minutes'`);

async function operator(...args: string[]): Promise<string> {
  const said: string[] = [];
  const env = { DATABASE_URL: database.url, ...kmsEnv(), ...WITHOUT_KEYS };
  const print = (line: string) => void said.push(line);
  await runOperatorCommand(args, () => loadConfig(env, '/'), {
    input: Readable.from([]),
    write: print,
    print,
  });
  return said.join('\n');
}

beforeAll(async () => {
  vault = await startVault('kek');
  provider = await startTokenProvider();
  catalog = await createCatalogDir({ good: provider.providerFile('good') });
  database = await createTestDatabase();
  const first = await start({ ENCRYPTION_KEYS: CONFIGURED });
  project = await provision(first);
  const client = { serviceProvider: 'good', clientId: 'c', clientSecret: 's', scopes: ['read'] };
  ({ id: integrationId } = await api(first, 'POST', '/integrations', { body: client }));
  await connect(first, 'ada');
});
afterAll(async () => {
  for (const gateway of [...running]) await stop(gateway);
  await catalog?.remove();
  await database?.drop();
  for (const server of [vault, provider]) await server?.close();
});

describe('a store that moves from ENCRYPTION_KEYS to a key management service', () => {
  it('seals with the old key while a process runs that has no other one', async () => {
    const [first] = running;
    const second = await start({ ENCRYPTION_KEYS: CONFIGURED, ...kmsEnv() });
    await letTimePass();
    await until(async () => (await database.knex('key_holders')).length === 1);
    await connect(second, 'ben');
    expect([await call(second, 'ada'), first && (await call(first, 'ben'))]).toEqual([200, 200]);
    expect([await states(), await sealedBy()]).toEqual([['waiting'], ['k1']]);
    if (first) await stop(first);
  });

  it('refuses to start without the old key while something needs it', async () => {
    expect(await refusalOf({ ...WITHOUT_KEYS, ...kmsEnv() })).toMatch(
      /ENCRYPTION_KEYS: the key k1 is missing, and \d+ sealed values need it/,
    );
  });

  it('seals everything again by itself once all processes hold the new key, and then needs the old one no more', async () => {
    await until(async () => (await states())[0] === 'active');
    await until(async () => !(await countRowsByKeyId(database.knex)).has('k1'));
    const second = [...running][0];
    if (second) await stop(second);
    const third = await start({ ...WITHOUT_KEYS, ...kmsEnv() });
    expect([await call(third, 'ada'), await call(third, 'ben')]).toEqual([200, 200]);
  });

  it('refuses to start without the service that has its keys', async () => {
    expect(await refusalOf({ ENCRYPTION_KEYS: CONFIGURED })).toContain(
      'ENCRYPTION_KMS: the keys of this store are wrapped by vault-transit:transit/kek',
    );
  });
});

describe('a gateway whose key management service is away', () => {
  it('goes on with everything, while one that starts is refused with the reason', async () => {
    const [gateway] = running;
    if (gateway === undefined) throw new Error('no gateway runs');
    vault.trouble.now = 'refuses';
    const before = [vault.requests.length, provider.refreshes.length];
    await connect(gateway, 'cy');
    expect([await call(gateway, 'cy'), await call(gateway, 'cy')]).toEqual([200, 200]);
    expect([vault.requests.length, provider.refreshes.length]).toEqual([before[0], (before[1] ?? 0) + 1]);
    expect(await refusalOf({ ...WITHOUT_KEYS, ...kmsEnv() })).toContain('answered 403');
    vault.trouble.now = undefined;
  });
});

describe('rotating the key', () => {
  it('is done by one command, while two processes serve and meet nothing that they cannot open', async () => {
    const [one] = running;
    const other = await start({ ...WITHOUT_KEYS, ...kmsEnv() });
    if (one === undefined) throw new Error('no gateway runs');
    const [before] = await sealedBy();
    expect(await operator('rotate-key')).toMatch(/The key kms[0-9a-f]{12} is made/);
    await expect(operator('rotate-key')).rejects.toThrow('waits already');
    await letTimePass();
    for (let round = 0; (await states()).at(-1) !== 'active'; round += 1) {
      const userId = `user-${round}`;
      await connect(round % 2 === 0 ? one : other, userId);
      expect([await call(one, userId), await call(other, userId)]).toEqual([200, 200]);
    }
    // The other process seals with the key before for some seconds; its own hourly run would follow.
    await until(async () => {
      await connect(other, `late-${Date.now()}`);
      return (await sealedBy()).some((id) => id !== before);
    });
    expect(await states()).toEqual(['retired', 'active']);
    for (const gateway of [one, other]) expect(gateway.logs()).not.toMatch(/cannot be (opened|unsealed)/);
  });
});

describe('secrets', () => {
  it('stand in no log: neither keys, in whatever form, nor what the service is asked with', async () => {
    const settings = loadConfig({ DATABASE_URL: database.url, ...kmsEnv() }, '/').kms;
    if (settings === undefined) throw new Error('no service');
    const held = await createWrappedKeys({ settings, open: openKms, log: { warn: () => undefined } }).load(
      database.knex,
      new Map(),
    );
    const forms = (['base64', 'base64url', 'hex'] as const).flatMap((form) =>
      held.map(({ key }) => key.export().toString(form)),
    );
    for (const gateway of [...running]) await stop(gateway);
    const dump = JSON.stringify(await database.knex('key_encryption_keys'));
    for (const secret of [...forms, CONFIGURED.slice(3)]) {
      expect(logs.join('')).not.toContain(secret);
      expect(dump).not.toContain(secret);
    }
    expect(logs.join('')).not.toContain(vault.tokens.now);
  });
});
