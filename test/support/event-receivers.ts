import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { listen } from './listen.ts';
import { until } from './until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
export const RECEIVERS = join(ROOT, 'examples/receivers');

/** The programs for Node find the client's source; a reader has it installed. */
const NODE = [
  '--disable-warning=ExperimentalWarning',
  '--import',
  join(import.meta.dirname, 'node-client-source.mjs'),
];

/** How each program below examples/receivers is run: a command with its arguments. */
export const NODE_RECEIVERS: Readonly<Record<string, readonly string[]>> = {
  express: [process.execPath, ...NODE, join(RECEIVERS, 'express/server.mjs')],
  fastify: [process.execPath, ...NODE, join(RECEIVERS, 'fastify/server.mjs')],
  nextjs: [
    process.execPath,
    ...NODE,
    join(import.meta.dirname, 'serve-route-handler.mjs'),
    join(RECEIVERS, 'nextjs/app/events/route.js'),
  ],
};

/** What reads events from a topic of Kafka. */
export const KAFKA_CONSUMER: readonly string[] = [
  process.execPath,
  ...NODE,
  join(RECEIVERS, 'kafka/consumer.mjs'),
];

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
/** The receiver knows both; each signs in turn while they are rotated. */
const NEW_SECRET = newSecret();
const OLD_SECRET = newSecret();

export type EventReceiver = {
  readonly url: string;
  /** How often the receiver has stored the event. */
  countStored(id: string): number;
  stop(): Promise<void>;
};

/** Starts a program that receives events; `env` adds to what every program gets. */
export async function startEventReceiver(
  [command = '', ...commandArguments]: readonly string[],
  { cwd, env = {} }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<EventReceiver> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-receiver-'));
  const port = await findFreePort();
  const child = spawn(command, commandArguments, {
    cwd: cwd ?? folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PORT: String(port),
      EVENT_SECRETS: `${NEW_SECRET} ${OLD_SECRET}`,
      DATABASE_FILE: join(folder, 'inbox.sqlite3'),
      INBOX_FOLDER: folder,
      ...env,
    },
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  // Apart: a message on this one may come in the middle of a line of the other.
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${complaints}`);
    return isListening(port);
  });
  return {
    url: `http://127.0.0.1:${port}/events`,
    countStored: (id) => printed.split('\n').filter((line) => line === `stored ${id}`).length,
    stop: async () => {
      await endProcess(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((done) => {
    server.close(done);
  });
  return port;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => done(false));
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
  });
}

type Delivery = { readonly headers: Record<string, string>; readonly body: string };

/** A delivery as the gateway sends it (Standard Webhooks 1.0.0), with one thing changed. */
function createDelivery(
  changes: { id?: string; ageSeconds?: number; secrets?: readonly string[]; note?: string } = {},
): Delivery {
  const {
    id = randomUUID(),
    ageSeconds = 0,
    secrets = [NEW_SECRET],
    note = 'Zoë, 12345678901234567890',
  } = changes;
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
  const body = `{"id":"${id}","type":"hubspot.contact.created","data":{"n":12345678901234567890,"note":"${note}"}}`;
  const signatures = secrets.map((secret) => {
    const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
    return `v1,${mac.update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
  return { headers, body };
}

async function send({ url }: EventReceiver, { headers, body }: Delivery): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** What a receiver did wrong, empty where it did everything right. */
type Check = (receiver: EventReceiver) => Promise<string>;

function accepts(deliveries: () => readonly Delivery[]): Check {
  return async (receiver) => {
    const all = deliveries();
    const statuses = await Promise.all(all.map((delivery) => send(receiver, delivery)));
    if (statuses.some((status) => status < 200 || status > 299)) return `answered ${statuses.join(', ')}`;
    const id = all[0]?.headers['webhook-id'] ?? '';
    await until(() => receiver.countStored(id) > 0);
    // Whatever was stored before this delivery is printed before it.
    const last = createDelivery();
    await send(receiver, last);
    await until(() => receiver.countStored(last.headers['webhook-id'] ?? '') > 0);
    const count = receiver.countStored(id);
    return count === 1 ? '' : `stored it ${count} times`;
  };
}

function refuses(delivery: () => Delivery): Check {
  return async (receiver) => {
    const refused = delivery();
    const status = await send(receiver, refused);
    if (status < 400 || status > 499) return `answered ${status}`;
    const good = createDelivery();
    await send(receiver, good);
    await until(() => receiver.countStored(good.headers['webhook-id'] ?? '') > 0);
    return receiver.countStored(refused.headers['webhook-id'] ?? '') === 0 ? '' : 'stored it';
  };
}

const without = ({ headers, body }: Delivery, name: string): Delivery => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([field]) => field !== name)),
  body,
});

function withHeader({ headers, body }: Delivery, name: string, value: string): Delivery {
  return { headers: { ...headers, [name]: value }, body };
}

/** What every receiver must do, as claims with their checks. */
export const RECEIVER_CHECKS: Readonly<Record<string, Check>> = {
  'stores a good delivery': accepts(() => [createDelivery()]),
  'stores a delivery of 5 MiB': accepts(() => [createDelivery({ note: 'x'.repeat(5 * 1024 * 1024) })]),
  'stores a delivery signed with the second secret': accepts(() => [
    createDelivery({ secrets: [OLD_SECRET] }),
  ]),
  'stores a delivery signed with another secret and a known one': accepts(() => [
    createDelivery({ secrets: [newSecret(), NEW_SECRET] }),
  ]),
  'stores a delivery of four minutes ago': accepts(() => [createDelivery({ ageSeconds: 240 })]),
  'stores what comes several times at once a single time': accepts(() => {
    const id = randomUUID();
    return [createDelivery({ id, ageSeconds: 10 }), createDelivery({ id }), createDelivery({ id })];
  }),
  'stores what comes again later a single time': async (receiver) => {
    const id = randomUUID();
    const first = await accepts(() => [createDelivery({ id, ageSeconds: 10 })])(receiver);
    return first === '' ? accepts(() => [createDelivery({ id })])(receiver) : first;
  },
  'refuses a body of which a byte is off': refuses(() => {
    const { headers, body } = createDelivery();
    return { headers, body: body.replace('created', 'creates') };
  }),
  'refuses a body with a space more': refuses(() => {
    const { headers, body } = createDelivery();
    return { headers, body: body.replace(':', ': ') };
  }),
  'refuses an old delivery': refuses(() => createDelivery({ ageSeconds: 330 })),
  'refuses a delivery of the future': refuses(() => createDelivery({ ageSeconds: -330 })),
  'refuses another timestamp than the signed one': refuses(() => {
    const delivery = createDelivery({ ageSeconds: 60 });
    return withHeader(delivery, 'webhook-timestamp', String(Math.floor(Date.now() / 1000)));
  }),
  'refuses a timestamp that is none': refuses(() => withHeader(createDelivery(), 'webhook-timestamp', 'NaN')),
  'refuses another id than the signed one': refuses(() =>
    withHeader(createDelivery(), 'webhook-id', randomUUID()),
  ),
  'refuses an unknown secret': refuses(() => createDelivery({ secrets: [newSecret()] })),
  'refuses a signature of another length': refuses(() =>
    withHeader(createDelivery(), 'webhook-signature', 'v1,AAAA'),
  ),
  'refuses a delivery without id': refuses(() => without(createDelivery(), 'webhook-id')),
  'refuses a delivery without time': refuses(() => without(createDelivery(), 'webhook-timestamp')),
  'refuses a delivery without signature': refuses(() => without(createDelivery(), 'webhook-signature')),
};
