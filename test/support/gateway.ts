import { generateKeyPairSync } from 'node:crypto';
import jwt from 'jsonwebtoken';
import pg from 'pg';
import { loadConfig } from '../../src/config.ts';
import { newId } from '../../src/lib/ids.ts';
import { createOpaqueToken } from '../../src/lib/opaque-tokens.ts';
import { createLogger, type LogLevel } from '../../src/platform/logger.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { openCatalog } from '../../src/process/catalog-in-use.ts';
import { serve } from '../../src/process/serve.ts';
import { prepareStore } from '../../src/process/store.ts';
import { type GatewayOptions, prepareGateway } from './gateway-environment.ts';
import { PATIENCE } from './postgres.ts';

export type Gateway = {
  readonly url: string;
  /** Where proxied calls are answered: `url`, unless the proxy has an origin of its own. */
  readonly proxyUrl: string;
  readonly port: number;
  /** Undefined with an embedded database. */
  readonly databaseUrl: string | undefined;
  /** What it was started with. */
  readonly env: Readonly<Record<string, string>>;
  /** The lines that it logged so far. */
  readonly logs: () => string;
  /** Drains and stops it; then removes what was made for it. Safe to call twice. */
  readonly stop: () => Promise<unknown>;
};

/**
 * A gateway in this process, ready when this resolves: a fifth of what one of its own costs, since modules are loaded
 * and compiled once for all files of a worker. Signals, kills, workers and settings of Node need `spawnGateway`.
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { directory, cleanUp, ...prepared } = await prepareGateway(options);
  const { stop: stopServing, logs } = await serveHere(prepared.env, directory, options.isPatient).catch(
    async (error: unknown) => {
      await cleanUp();
      throw error;
    },
  );
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopServing()
      .then(cleanUp)
      .then(() => assertNoFaults(logs(), options.expectedFault));
    return stopped;
  };
  return { ...prepared, logs, stop };
}

/** A fault of the gateway's own fails the tests that brought it about, whatever they made of the answer. */
function assertNoFaults(logs: string, expectedFault?: string): void {
  const faults = logs
    .split('\n')
    .filter((line) => line.includes('"code":"internal_error"'))
    .filter((line) => expectedFault === undefined || !line.includes(expectedFault));
  if (faults.length > 0) throw new Error(`The gateway had faults of its own:\n${faults.join('\n')}`);
}

/** What `src/main.ts` does, without signals and worker processes. */
async function serveHere(env: Readonly<Record<string, string>>, directory: string, isPatient = true) {
  const config = loadConfig(env, directory);
  if (config.workers > 1) throw new Error('Worker processes need spawnGateway.');
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ level: config.logLevel as LogLevel, destination });
  const catalog = await openCatalog(config, log);
  const store = await prepareStore(config, log, isPatient ? PATIENCE : 1);
  const running = await serve(config, log, store, catalog).catch(async (error: unknown) => {
    await store.stop();
    throw error;
  });
  const stop = async () => {
    await running.stop();
    await store.stop();
  };
  return { stop, logs: () => lines.join('') };
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
  const client = new pg.Client(connectionSettings(databaseUrl));
  await client.connect();
  try {
    const id = newId();
    await client.query(
      'INSERT INTO operators (id, email, password_hash, email_verified_at) VALUES ($1, $2, $3, now())',
      [id, `${id}@example.test`, null],
    );
    return (await seedPersonalAccessToken(client, id)).token;
  } finally {
    await client.end();
  }
}

/** Makes a personal access token of an operator, as if it had been asked for with the password. */
export async function seedPersonalAccessToken(
  client: pg.Client,
  operatorId: string,
): Promise<{ readonly id: string; readonly token: string }> {
  const { token, visiblePrefix, hash } = createOpaqueToken('igo_');
  const id = newId();
  await client.query(
    `INSERT INTO personal_access_tokens (id, operator_id, name, visible_prefix, token_hash)
     VALUES ($1, $2, 'e2e', $3, $4)`,
    [id, operatorId, visiblePrefix, hash],
  );
  return { id, token };
}

/** Makes an operator a member, as if an invitation had been accepted. */
export async function seedMember(
  client: pg.Client,
  member: { readonly projectId: string; readonly operatorId: string; readonly role: string },
): Promise<void> {
  await client.query('INSERT INTO project_members (project_id, operator_id, role) VALUES ($1, $2, $3)', [
    member.projectId,
    member.operatorId,
    member.role,
  ]);
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
