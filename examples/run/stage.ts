import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPort } from '../demo/ports.ts';
import { call } from '../demo/provision.ts';
import { type BackendOptions, DEMO_PROVIDER, startBackends } from '../demo/start-demo.ts';
import { type Example, findFolder } from './catalog.ts';

/** An example that the gateway knows, with the variables that its `.env.example` asks for. */
export type Placed = {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** Takes back what the gateway was given for it. */
  readonly remove: () => Promise<void>;
};

export type Stage = Awaited<ReturnType<typeof startStage>>;

/** A gateway and a demo CRM, to which examples are added one after the other. */
export async function startStage(options: BackendOptions) {
  const cleanUps: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  };
  try {
    const backends = await startBackends(options, (cleanUp) => cleanUps.push(cleanUp));
    return { ...backends, place: (example: Example, port: number) => place(backends, example, port), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Backends = Awaited<ReturnType<typeof startBackends>>;

/** What an operator does for an application: its addresses, a key, and where its events go. */
async function place(backends: Backends, example: Example, wantedPort: number): Promise<Placed> {
  const { gatewayUrl, directory, project } = backends;
  const port = await findPort(wantedPort);
  const url = `http://127.0.0.1:${port}`;
  const { projectId, personalAccessToken: bearer } = project;
  const ask = (method: string, path: string, body?: unknown) =>
    call(gatewayUrl, { method, path, bearer, body });
  await ask('PATCH', `/v1/projects/${projectId}`, {
    allowedOrigins: [url],
    returnUrls: [`${url}/`, `${url}/connected`],
  });
  const key = await ask('POST', `/v1/projects/${projectId}/api-keys`, {
    name: `Example ${example.name}`,
    scopes: example.scopes,
  });
  const names = readVariables(example);
  // One without an address reads the stream of events by itself.
  const destination = names.includes('EVENT_SECRET')
    ? await ask('POST', '/v1/event-destinations', {
        projectId,
        url: `${url}/events`,
        types: [`${DEMO_PROVIDER}.*`],
      })
    : undefined;
  const keyFile = join(directory, `${example.name}.pem`);
  writeFileSync(keyFile, project.privateKey, { mode: 0o600 });
  const known: Readonly<Record<string, string>> = {
    GATEWAY_URL: gatewayUrl,
    PROJECT_ID: projectId,
    PROVIDER: DEMO_PROVIDER,
    GATEWAY_API_KEY: key.key,
    SIGNING_KEY_ID: project.keyId,
    SIGNING_KEY_FILE: keyFile,
    EVENT_SECRET: destination?.secret ?? '',
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    APP_URL: url,
    PORT: String(port),
  };
  return {
    url,
    env: Object.fromEntries(names.map((name) => [name, known[name] ?? ''])),
    remove: async () => {
      const { connections } = await ask('GET', `/v1/projects/${projectId}/connections`);
      for (const { id } of connections) await ask('DELETE', `/v1/connections/${id}`);
      if (destination !== undefined) await ask('DELETE', `/v1/event-destinations/${destination.id}`);
    },
  };
}

/** The names in the example's `.env.example`. */
export function readVariables(example: Example): string[] {
  const text = readFileSync(join(findFolder(example), '.env.example'), 'utf8');
  return [...text.matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name);
}
