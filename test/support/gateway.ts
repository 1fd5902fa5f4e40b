import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import pg from 'pg';
import { type GatewayEnd, startGatewayProcess, waitUntilReady } from '../../examples/demo/gateway-process.ts';
import { newId } from '../../src/lib/ids.ts';
import { createOpaqueToken } from '../../src/lib/opaque-tokens.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
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
};

export type Gateway = {
  readonly url: string;
  /** Where proxied calls are answered: `url`, unless the proxy has an origin of its own. */
  readonly proxyUrl: string;
  readonly port: number;
  readonly pid: number;
  /** Undefined with an embedded database. */
  readonly databaseUrl: string | undefined;
  /** What it was started with. */
  readonly env: Readonly<Record<string, string>>;
  readonly ended: Promise<GatewayEnd>;
  readonly logs: () => string;
  /** SIGTERM; then removes what was made for it. */
  readonly stop: () => Promise<GatewayEnd>;
  /** SIGKILL, leaving its data alone. */
  readonly kill: () => Promise<GatewayEnd>;
};

/** Of `test/support/bundle-gateway.ts`. */
const MAIN = process.env.GATEWAY_TEST_MAIN;

export const SETUP_TOKEN = 'setup-token-of-the-test-run';
const PORTS_FROM = 20_000;
/** As many as there may be at once; together below 32768. */
const WORKERS_MAX = 16;
const PORTS_PER_WORKER = 750;

/** A gateway in a process of its own, ready when this resolves. Throws with its last log lines when it is not. */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { process, cleanUp, removeDirectory, ...rest } = await launchGateway(options);
  try {
    await waitUntilReady(rest.url, process);
  } catch (error) {
    await process.kill();
    await cleanUp();
    throw error;
  }
  return {
    ...rest,
    pid: process.pid,
    ended: process.ended,
    logs: process.logs,
    kill: async () => {
      const end = await process.kill();
      await removeDirectory();
      return end;
    },
    stop: async () => {
      const end = await process.stop();
      await cleanUp();
      return end;
    },
  };
}

/** A gateway that is expected to refuse its configuration: how it ended and what it said. */
export async function runRefusedGateway(
  options: GatewayOptions = {},
): Promise<{ end: GatewayEnd; logs: string }> {
  const { process, cleanUp, url } = await launchGateway(options);
  const ready = waitUntilReady(url, process).then(
    () => true,
    () => false,
  );
  const wasReady = await Promise.race([ready, process.ended.then(() => false)]);
  const end = wasReady ? await process.kill() : await process.ended;
  await cleanUp();
  return { end, logs: process.logs() };
}

async function launchGateway(options: GatewayOptions) {
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
    SETUP_TOKEN,
    ALLOW_PRIVATE_NETWORKS: 'true',
    ...(databaseUrl === undefined
      ? {}
      : { DATABASE_URL: databaseUrl, ENCRYPTION_KEYS: createEncryptionKey() }),
    ...(options.dataDir === undefined ? {} : { DATA_DIR: options.dataDir }),
    ...(options.catalogDir === undefined ? {} : { CATALOG_DIR: options.catalogDir }),
    ...options.env,
  };
  const process = startGatewayProcess({ env, directory, main: MAIN });
  const removeDirectory = () => rm(directory, { recursive: true, force: true });
  const cleanUp = async () => {
    await database?.drop();
    await removeDirectory();
  };
  return { process, url, proxyUrl, port, databaseUrl, env, cleanUp, removeDirectory };
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

const WORKER = Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS_MAX;
let lastTried = randomBytes(4).readUInt32BE();

/**
 * Below the ports that the system hands out by itself, another one each time and other ones in each of jest's workers,
 * so that no other process takes it before the gateway does.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    lastTried += 1;
    const port = PORTS_FROM + WORKER + WORKERS_MAX * (lastTried % PORTS_PER_WORKER);
    if (await isFree(port)) return port;
  }
}

/** For a demo, whose parts look for a port long before they listen on it. */
export async function findDemoPorts(): Promise<{ gateway: number; crm: number; app: number }> {
  return { gateway: await findFreePort(), crm: await findFreePort(), app: await findFreePort() };
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

export type ApiCall = {
  readonly bearer?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** One call of the gateway; the body parsed where it is JSON. */
export async function callApi(url: string, method: string, path: string, call: ApiCall = {}) {
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(call.bearer === undefined ? {} : { authorization: `Bearer ${call.bearer}` }),
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
  const contentType = response.headers.get('content-type') ?? '';
  // A stream of events has no end to wait for.
  const isStream = contentType.startsWith('text/event-stream');
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  const isJson = /[/+]json\b/.test(contentType) && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}

export type ApiAnswer = Awaited<ReturnType<typeof callApi>>;

/** A call that must work. Throws with the refusal otherwise. */
export async function callApiOk(url: string, method: string, path: string, call: ApiCall = {}) {
  const answer = await callApi(url, method, path, call);
  if (answer.status >= 400)
    throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

export type Project = {
  readonly id: string;
  readonly apiKey: string;
  readonly personalAccessToken: string;
  /** Signs a token of this user as the application would. */
  readonly userToken: (userId: string, options?: UserTokenOptions) => string;
};

export type UserTokenOptions = {
  readonly expiresInSeconds?: number;
  readonly claims?: Record<string, unknown>;
};

export const OPERATOR = { email: 'owner@example.test', password: 'a long enough pass phrase' };

/** The first set-up, and a signing key of the application, by the public API. */
export async function provision(
  { url, env }: Pick<Gateway, 'url' | 'env'>,
  settings: { allowedOrigins?: string[]; returnUrls?: string[] } = {},
): Promise<Project> {
  const body = { token: env.SETUP_TOKEN, ...OPERATOR, projectName: 'End-to-end' };
  const made = await callApiOk(url, 'POST', '/v1/setup', { body });
  const personalAccessToken: string = made.personalAccessToken.token;
  return addSigner(url, { id: made.project.id, apiKey: made.apiKey.key, personalAccessToken }, settings);
}

/** Another project of the same operator. */
export async function createProject(
  url: string,
  personalAccessToken: string,
  settings: { allowedOrigins?: string[]; returnUrls?: string[] } = {},
): Promise<Project> {
  const bearer = personalAccessToken;
  const { id } = await callApiOk(url, 'POST', '/v1/projects', { bearer, body: { name: 'Another' } });
  const { key } = await callApiOk(url, 'POST', `/v1/projects/${id}/api-keys`, {
    bearer,
    body: { name: 'e2e' },
  });
  return addSigner(url, { id, apiKey: key, personalAccessToken }, settings);
}

/**
 * Another operator, who is a member of nothing, put straight into the store since no invitation does it yet. Gives a
 * personal access token.
 */
export async function seedOperator(databaseUrl: string): Promise<string> {
  const { token, visiblePrefix, hash } = createOpaqueToken('igo_');
  const client = new pg.Client(connectionSettings(databaseUrl));
  await client.connect();
  try {
    const id = newId();
    await client.query(
      'INSERT INTO operators (id, email, password_hash, email_verified_at) VALUES ($1, $2, $3, now())',
      [id, `${id}@example.test`, null],
    );
    await client.query(
      `INSERT INTO personal_access_tokens (id, operator_id, name, visible_prefix, token_hash)
       VALUES ($1, $2, 'e2e', $3, $4)`,
      [newId(), id, visiblePrefix, hash],
    );
  } finally {
    await client.end();
  }
  return token;
}

async function addSigner(
  url: string,
  project: Omit<Project, 'userToken'>,
  settings: { allowedOrigins?: string[]; returnUrls?: string[] },
): Promise<Project> {
  const bearer = project.personalAccessToken;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kid } = await callApiOk(url, 'POST', `/v1/projects/${project.id}/signing-keys`, {
    bearer,
    body: { alg: 'ES256', publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() },
  });
  if (Object.keys(settings).length > 0) {
    await callApiOk(url, 'PATCH', `/v1/projects/${project.id}`, { bearer, body: settings });
  }
  return {
    ...project,
    userToken: (userId, { expiresInSeconds = 3600, claims = {} } = {}) =>
      jwt.sign(claims, privateKey, {
        algorithm: 'ES256',
        keyid: kid,
        subject: userId,
        audience: project.id,
        expiresIn: expiresInSeconds,
      }),
  };
}
