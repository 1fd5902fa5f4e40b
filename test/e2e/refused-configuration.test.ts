import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config.ts';
import { explainRefusal } from '../../src/lib/start-error.ts';
import { provision, startGateway } from '../support/gateway.ts';
import { createEncryptionKey, type GatewayOptions } from '../support/gateway-environment.ts';
import { plainProviderFile } from '../support/held-provider.ts';
import { listen } from '../support/listen.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { runRefusedGateway, spawnGateway } from '../support/spawn-gateway.ts';

describe('a configuration that cannot work', () => {
  const SECRET = 'sw0rdfish-never-to-be-shown';

  async function refusalOf(options: GatewayOptions): Promise<string> {
    const { end, logs } = await runRefusedGateway(options);
    expect(end).toEqual({ code: 1, signal: null });
    expectForPeople(logs);
    return logs;
  }

  /** A person reads this: what is wrong, not where the code stood when it noticed, nor any secret. */
  function expectForPeople(said: string): void {
    expect(said).not.toContain(SECRET);
    expect(said).not.toMatch(/^\s+at .+:\d+:\d+/m);
  }

  /** What a start with these variables would say, judged without a process. */
  function sayOf(env: Record<string, string>): string {
    try {
      loadConfig(env, '/');
    } catch (error) {
      const said = explainRefusal(error);
      expectForPeople(said);
      return said;
    }
    throw new Error('The configuration was not refused.');
  }

  it.each([
    ['is no URL', 'gateway.example.com'],
    ['is plain http on a public host', 'http://gateway.example.com'],
    ['has a path', 'http://localhost:3000/gateway'],
  ])('is refused by name: a PUBLIC_URL that %s', (_how, PUBLIC_URL) => {
    expect(sayOf({ PUBLIC_URL })).toContain('PUBLIC_URL');
  });

  it('is refused by name: a database without ENCRYPTION_KEYS, which would be lost with the machine', () => {
    const DATABASE_URL = `postgresql://app:${SECRET}@nowhere.test/x`;
    expect(sayOf({ DATABASE_URL, ENCRYPTION_KEYS: '' })).toContain('ENCRYPTION_KEYS');
  });

  it('is refused by name, without showing it: an encryption key of the wrong length', async () => {
    const databaseUrl = 'postgresql://nowhere.test/x';
    const ENCRYPTION_KEYS = `k1:${Buffer.from(SECRET).toString('base64')}`;
    const said = await refusalOf({ databaseUrl, env: { ENCRYPTION_KEYS } });
    expect(said).toContain('ENCRYPTION_KEYS');
    expect(said).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, 20));
  });

  it('is refused: another encryption key than the one that the stored credentials are sealed with', async () => {
    const database = await createTestDatabase();
    try {
      const keys = createEncryptionKey();
      const first = await startGateway({ databaseUrl: database.url, env: { ENCRYPTION_KEYS: keys } });
      await provision(first);
      await first.stop();
      const env = { ENCRYPTION_KEYS: createEncryptionKey() };
      expect(await refusalOf({ databaseUrl: database.url, env })).toContain('ENCRYPTION_KEYS');
      const again = await spawnGateway({ databaseUrl: database.url, env: { ENCRYPTION_KEYS: keys } });
      expect(await again.stop()).toEqual({ code: 0, signal: null });
    } finally {
      await database.drop();
    }
  });

  it('is refused with what to do: a database that does not exist', async () => {
    const database = await createTestDatabase();
    const url = new URL(database.url);
    url.pathname = '/none';
    expect(await refusalOf({ databaseUrl: url.href })).toMatch(
      /DATABASE_URL: the database does not exist \(3D000\)\.\nCreate it/,
    );
    await database.drop();
  });

  it('is refused with file and field: a faulty provider file', async () => {
    const faulty = await mkdtemp(join(tmpdir(), 'gateway-e2e-faulty-'));
    try {
      await writeFile(
        join(faulty, 'broken.yaml'),
        plainProviderFile('broken', 'https://example.test').replace('pkce: true', 'pkce: perhaps'),
      );
      const said = await refusalOf({ catalogDir: faulty });
      expect(said).toContain('broken.yaml');
      expect(said).toContain('pkce');
    } finally {
      await rm(faulty, { recursive: true, force: true });
    }
  });

  it('is refused: a port that is in use', async () => {
    const other = createServer();
    const port = await listen(other);
    try {
      expect(await refusalOf({ port })).toContain(String(port));
    } finally {
      other.close();
    }
  });
});
