import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from './ports.ts';
import { createTestDatabase } from './postgres.ts';

export type GatewayOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** A database of another gateway; a new one of its own when left out. */
  readonly databaseUrl?: string;
  /** Where an embedded Postgres keeps its data; then there is no other database. */
  readonly dataDir?: string;
  readonly catalogDir?: string;
  readonly port?: number;
  /** Gives the proxy an origin of its own, on the same port. */
  readonly hasProxyUrl?: boolean;
  /** Gives webhooks an origin of their own, on the same port. */
  readonly hasWebhookUrl?: boolean;
  /** False where the test is about how long a gateway waits for its store; others wait longer for a busy one. */
  readonly isPatient?: boolean;
  /** Text in the log of faults that the test brings about on purpose; every other fault of the gateway's own fails it. */
  readonly expectedFault?: string;
};

export const SETUP_TOKEN = 'setup-token-of-the-test-run';

/** What a gateway needs before it starts: settings, a working directory, and a database unless the options name one. */
export async function prepareGateway(options: GatewayOptions) {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-e2e-'));
  const database =
    options.dataDir === undefined && options.databaseUrl === undefined
      ? await createTestDatabase()
      : undefined;
  const databaseUrl = options.databaseUrl ?? database?.url;
  const port = options.port ?? (await findFreePort());
  const url = `http://127.0.0.1:${port}`;
  const proxyUrl = options.hasProxyUrl === true ? `http://localhost:${port}` : url;
  const env: Record<string, string> = {
    PORT: String(port),
    PUBLIC_URL: url,
    ...(options.hasProxyUrl === true && { PROXY_URL: proxyUrl }),
    ...(options.hasWebhookUrl === true && { WEBHOOK_URL: `http://localhost:${port}` }),
    SETUP_TOKEN,
    ALLOW_PRIVATE_NETWORKS: 'true',
    // There is no load balancer here, so the gateway stops accepting at once.
    SHUTDOWN_DELAY_MS: '0',
    ...(databaseUrl === undefined
      ? {}
      : { DATABASE_URL: databaseUrl, ENCRYPTION_KEYS: createEncryptionKey() }),
    ...(options.dataDir === undefined ? {} : { DATA_DIR: options.dataDir }),
    CATALOG_TAKEN_DIR: join(directory, 'catalog'),
    ...(options.catalogDir === undefined ? {} : { CATALOG_DIR: options.catalogDir }),
    ...options.env,
  };
  const removeDirectory = () => rm(directory, { recursive: true, force: true });
  const cleanUp = async () => {
    await database?.drop();
    await removeDirectory();
  };
  return { url, proxyUrl, port, databaseUrl, env, directory, cleanUp, removeDirectory };
}

export function createEncryptionKey(id = 'k1'): string {
  return `${id}:${randomBytes(32).toString('base64')}`;
}

/** A directory for a gateway's data that an unprivileged Postgres can reach. */
export async function createDataDir(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'gateway-e2e-data-'));
  await chmod(path, 0o711);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
