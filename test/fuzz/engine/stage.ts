import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import type { WebhookDescription } from '../../../src/webhooks/message/webhook.ts';
import { createCatalogDir } from '../../support/catalog-dir.ts';
import { callApiOk, type Gateway, type Project, provision } from '../../support/gateway.ts';
import type { GatewayOptions } from '../../support/gateway-environment.ts';
import { plainProviderFile } from '../../support/held-provider.ts';
import { listDisguises } from '../../support/leaks.ts';
import { listen } from '../../support/listen.ts';
import { closed } from '../../support/upstream.ts';
import { createRawClient, type RawClient } from './raw-client.ts';
import { type Recorder, startRecorder } from './recorder.ts';
import type { Values } from './text.ts';
import { integrateSenders } from './webhook-senders.ts';

const NOTES = 'notes';
export const FUZZ_USER = 'mia';
export const FUZZ_ORIGIN = 'http://127.0.0.1:9';
/** So that no limit stands between an input and the code that it is for. */
const NO_LIMITS = {
  RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0',
  RATE_LIMIT_PROXY_PER_MINUTE: '0',
  RATE_LIMIT_FAILED_AUTHENTICATION_PER_MINUTE: '0',
  RATE_LIMIT_CONNECT_PER_MINUTE: '0',
  CONNECT_SESSIONS_PER_USER_PER_HOUR: '0',
};

export type WebhookSender = {
  readonly description: WebhookDescription;
  readonly path: string;
  /** What signs as the provider would; undefined where only the provider's own key does. */
  readonly secret: string | undefined;
};

export type Guarded = { readonly apiKey: string; readonly project: Project };

export type StageValues = Values &
  Readonly<Record<'token' | 'project' | 'proxy' | 'host' | 'trap' | 'guardedHost', string>>;

export type FuzzStage = {
  readonly gateway: Gateway;
  readonly project: Project;
  readonly integrationId: string;
  readonly recorder: Recorder;
  readonly senders: readonly WebhookSender[];
  /** What `{{name}}` in a text stands for. */
  readonly values: StageValues;
  /** A signing key of the project, with which tokens are made that are to be taken. */
  readonly signer: { readonly kid: string; readonly privateKey: KeyObject };
  /** A user token whose mandate lets it read. */
  readonly readingToken: string;
  /** A client of its own for each target, so that none meets another's connection. */
  readonly client: RawClient;
  readonly guardedClient: RawClient;
  readonly guarded: Guarded;
  /** Names of the planted secrets that a text holds. */
  findSecrets(text: string): string[];
  /** What the logs since the last call say that they must not, and connections to what must not be reached. */
  takeFaults(): string[];
  /** A number that no other input of this stage has. */
  nextNumber(): number;
  /** Milliseconds of the processor that the gateway's thread has used; undefined where the gateway shares a process. */
  readonly readLoopMs: (() => Promise<number>) | undefined;
  close(): Promise<void>;
};

export type StageStart = {
  readonly start: (options: GatewayOptions) => Promise<Gateway>;
  readonly options?: () => Promise<GatewayOptions>;
  /** Opens the meter of the gateway's thread, once it is up. */
  readonly openMeter?: () => Promise<{ read(): Promise<number>; close(): void }>;
};

/** A gateway that may call local addresses, one that may not, a provider that records, and something planted in every place. */
export async function startFuzzStage(given: StageStart): Promise<FuzzStage> {
  const cleanUps: (() => unknown)[] = [];
  const close = async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  };
  try {
    const parts = await startParts(given, (cleanUp) => cleanUps.push(cleanUp));
    return { ...assemble(parts), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Parts = Awaited<ReturnType<typeof startParts>>;

async function startParts(
  { start, options, openMeter }: StageStart,
  onClose: (cleanUp: () => unknown) => void,
) {
  const secrets = plantSecrets();
  const { grantedToken } = secrets;
  const recorder = await startRecorder({
    access_token: grantedToken,
    token_type: 'Bearer',
    expires_in: 3600,
  });
  onClose(recorder.close);
  const trap = await startTrap();
  onClose(trap.close);
  const catalog = await createCatalogDir({ [NOTES]: plainProviderFile(NOTES, recorder.url) });
  onClose(catalog.remove);
  const open = async (env: Record<string, string>, more: GatewayOptions) => {
    const own = (await options?.()) ?? {};
    const gateway = await start({ ...own, ...more, env: { ...NO_LIMITS, ...own.env, ...env } });
    onClose(gateway.stop);
    return gateway;
  };
  const gateway = await open({}, { catalogDir: catalog.path });
  const meter = await openMeter?.();
  if (meter) onClose(meter.close);
  const project = await provision(gateway, {
    allowedOrigins: [FUZZ_ORIGIN],
    returnUrls: [`${FUZZ_ORIGIN}/`],
  });
  const integrationId = await integrateNotes(gateway, project, secrets);
  const signer = await addSigner(gateway, project);
  const senders = await integrateSenders(gateway, project);
  const guardedGateway = await open({ ALLOW_PRIVATE_NETWORKS: 'false' }, {});
  const guardedProject = await provision(guardedGateway);
  const clients = {
    client: createRawClient(gateway.port),
    guardedClient: createRawClient(guardedGateway.port),
  };
  onClose(clients.client.close);
  onClose(clients.guardedClient.close);
  const started = { secrets, recorder, trap, gateway, meter, project, integrationId, signer, senders };
  return { ...started, ...clients, guardedGateway, guardedProject };
}

function assemble(parts: Parts): Omit<FuzzStage, 'close'> {
  const { gateway, guardedGateway, guardedProject, project, trap, meter, secrets, ...rest } = parts;
  const token = project.userToken(FUZZ_USER);
  const named = rest.senders.flatMap(({ secret }, index) =>
    secret === undefined ? [] : [[`webhookSecret${index}`, secret]],
  );
  const findSecrets = createSearch({
    ...secrets,
    token,
    apiKey: project.apiKey,
    personalAccessToken: project.personalAccessToken,
    encryptionKey: gateway.env.ENCRYPTION_KEYS?.split(':')[1] ?? secrets.clientSecret,
    ...Object.fromEntries(named),
  });
  const reading = [{ type: 'gateway_access', provider: NOTES, access: 'read' }];
  let lastNumber = 0;
  return {
    ...rest,
    gateway,
    project,
    readingToken: project.userToken(FUZZ_USER, { claims: { authorization_details: reading } }),
    guarded: { apiKey: guardedProject.apiKey, project: guardedProject },
    values: {
      token,
      project: project.id,
      proxy: `/projects/${project.id}/proxy/${NOTES}`,
      host: `127.0.0.1:${gateway.port}`,
      guardedHost: `127.0.0.1:${guardedGateway.port}`,
      trap: String(trap.port),
    },
    findSecrets,
    takeFaults: createLogReader([gateway, guardedGateway], findSecrets, trap.takeCount),
    nextNumber: () => {
      lastNumber += 1;
      return lastNumber;
    },
    readLoopMs: meter?.read,
  };
}

/** Letters alone: a net that knows credentials by their digits would hide what the gateway has not taken out. */
function plantSecrets() {
  const word = () => String.fromCharCode(...randomBytes(24).map((byte) => 97 + (byte % 26)));
  return {
    clientSecret: `planted-client-${word()}`,
    accessToken: `planted-access-${word()}`,
    refreshToken: `planted-refresh-${word()}`,
    grantedToken: `planted-granted-${word()}`,
  };
}

async function addSigner({ url }: Gateway, project: Project) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kid } = await callApiOk(url, 'POST', `/v1/projects/${project.id}/signing-keys`, {
    bearer: project.personalAccessToken,
    body: { alg: 'ES256', publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() },
  });
  return { kid: String(kid), privateKey };
}

async function integrateNotes(
  { url }: Gateway,
  project: Project,
  { clientSecret, accessToken, refreshToken }: ReturnType<typeof plantSecrets>,
): Promise<string> {
  const bearer = project.apiKey;
  const { id } = await callApiOk(url, 'POST', '/v1/integrations', {
    bearer,
    body: { serviceProvider: NOTES, clientId: 'client', clientSecret, scopes: ['read'] },
  });
  await callApiOk(url, 'POST', '/v1/connections', {
    bearer,
    body: { integrationId: id, userId: FUZZ_USER, credentials: { accessToken, refreshToken } },
  });
  return id;
}

/** What nothing may connect to: an address of this machine that descriptions and tokens name in many spellings. */
async function startTrap() {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    count += 1;
    sockets.add(socket.on('error', () => {}));
    socket.destroy();
  });
  const port = await listen(server);
  return {
    port,
    takeCount(): number {
      const taken = count;
      count = 0;
      return taken;
    },
    close: () => closed(server, sockets),
  };
}

function createSearch(secrets: Readonly<Record<string, string>>): (text: string) => string[] {
  const forms = Object.entries(secrets).map(([name, secret]) => [name, listDisguises(secret)] as const);
  return (text) =>
    forms.filter(([, spelled]) => spelled.some((form) => text.includes(form))).map(([name]) => name);
}

function createLogReader(
  gateways: readonly Pick<Gateway, 'logs'>[],
  findSecrets: (text: string) => string[],
  takeConnections: () => number,
): () => string[] {
  const readTo = gateways.map(() => 0);
  return () => {
    const connections = takeConnections();
    const fresh = gateways.map(({ logs }, index) => {
      const text = logs();
      const from = readTo[index] ?? 0;
      readTo[index] = text.length;
      return text.slice(from);
    });
    return [
      ...(connections === 0 ? [] : [`${connections} connections to an address that must not be reached`]),
      ...fresh.flatMap((text) => [
        ...findSecrets(text).map((name) => `the ${name} stands in the log`),
        ...text.split('\n').filter((line) => /"level":"(?:error|fatal)"|"code":"internal_error"/.test(line)),
      ]),
    ];
  };
}
