import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';

/** A request of a load: a POST where it has a body. */
export type Sent = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** A server under test. `pid` is the process whose memory is read, undefined where that is not the point. */
export type Running = Sent & {
  readonly pid: number | undefined;
  /** Database queries since the start, where the variant has a database. */
  readonly queries?: () => Promise<number>;
  /** Other requests to the same process, by the variants that send them. */
  readonly others?: Readonly<Record<string, Sent>>;
  /** Of a gateway: with it further connections are made and called. */
  readonly project?: BenchProject;
  /** Of a gateway: the process that its embedded store's others are children of. */
  readonly storePid?: number;
  stop(): Promise<void>;
};

export type BenchProject = {
  readonly id: string;
  readonly apiKey: string;
  readonly integrationId: string;
  /** ES256, of user tokens. */
  readonly signingKey: { readonly kid: string; readonly pem: string };
};

export type Variant = {
  readonly name: string;
  /** Runs only where `--only` names it. */
  readonly isExtra?: true;
  /** Shares the process of the variant of this name, so that nothing but what is sent differs. */
  readonly sharedWith?: string;
  start(upstream: string): Promise<Running>;
};

/** What `npm start` gives to V8. */
const HEAP_FLAGS = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
const CODE_FLAGS = ['--no-allocation-site-pretenuring', '--max-valid-polymorphic-map-count=8'];
const BODY_FLAGS = ['--expose-gc', '--no-concurrent-array-buffer-sweeping'];
const THREAD_FLAGS = ['--v8-pool-size=1'];
const ALL_FLAGS: readonly string[] = [...HEAP_FLAGS, ...CODE_FLAGS, ...BODY_FLAGS, ...THREAD_FLAGS];

/** Core of the proxy under test, and of load generator and upstream. */
export const PROXY_CORE = 0;
export const LOAD_CORE = availableParallelism() > 1 ? 1 : 0;

export const variants: readonly Variant[] = [
  {
    name: 'direct',
    start: async (upstream) => ({
      url: withPath(upstream),
      headers: {},
      pid: undefined,
      stop: async () => {},
    }),
  },
  {
    name: 'nginx',
    start: async (upstream) => {
      const server = await startNginx(PROXY_CORE, proxyLocation(upstream));
      return { ...server, url: withPath(server.url) };
    },
  },
  { name: 'httpxy', start: (upstream) => startNode('bench/bare-httpxy.ts', upstream) },
  { name: 'hpm-express', start: (upstream) => startNode('bench/bare-hpm-express.ts', upstream) },
  { name: 'gateway', start: (upstream) => startGateway(upstream, ALL_FLAGS) },
  {
    name: 'gateway-mandate',
    isExtra: true,
    sharedWith: 'gateway',
    start: (upstream) => startGateway(upstream, ALL_FLAGS),
  },
  // The same GET as the tool `read` of the MCP door.
  {
    name: 'gateway-agent',
    isExtra: true,
    sharedWith: 'gateway',
    start: (upstream) => startGateway(upstream, ALL_FLAGS),
  },
  // Spans of one call in a hundred, and of every call, sent to a collector that takes them.
  { name: 'gateway-traced-1', isExtra: true, start: (upstream) => startTraced(upstream, '0.01') },
  { name: 'gateway-traced-100', isExtra: true, start: (upstream) => startTraced(upstream, '1') },
  // What the flags of `npm start` bring.
  { name: 'gateway-heap-flags', isExtra: true, start: (upstream) => startGateway(upstream, HEAP_FLAGS) },
  {
    name: 'gateway-four-threads',
    isExtra: true,
    start: (upstream) => startGateway(upstream, [...ALL_FLAGS, '--v8-pool-size=4']),
  },
  { name: 'gateway-no-flags', isExtra: true, start: (upstream) => startGateway(upstream, []) },
];

/** The MCP SDK alone, to tell what it costs of a call of a tool. */
export const bareMcp: Variant = {
  name: 'bare-mcp',
  isExtra: true,
  start: (upstream) => startNode('bench/bare-mcp.ts', upstream),
};

/** The gateway as another checkout has it, to be measured beside this one in the same run. */
export function otherGateway(folder: string): Variant {
  return {
    name: 'gateway-other',
    isExtra: true,
    start: (upstream) => startGateway(upstream, ALL_FLAGS, { folder }),
  };
}

const API_PATH = '/crm/v3/objects/contacts?limit=10';

function withPath(url: string): string {
  return url + API_PATH;
}

/** The address of the large file at a variant whose own address is `url`. */
export function largeFileAt(url: string): string {
  return url.replace(API_PATH, '/large');
}

/** The address of an event stream that stays open. */
export function streamAt(url: string): string {
  return url.replace(API_PATH, '/stream');
}

/** A 1 KB JSON document from nginx, which costs the load core the least. */
export async function startUpstream(): Promise<Running> {
  const body = JSON.stringify({ results: 'x'.repeat(1024 - 14) });
  return startNginx(
    LOAD_CORE,
    `location / { client_max_body_size 100m; default_type application/json; return 200 '${body}'; }
     location /collector/ { client_max_body_size 100m; return 200; }`,
  );
}

/** The same without nginx, and with the large file. */
export async function startPlainUpstream(): Promise<Running> {
  const server = await startNode('bench/plain-upstream.ts', '', LOAD_CORE);
  return { ...server, url: new URL(server.url).origin };
}

type GatewayMessage = {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly others: Record<string, Sent>;
  readonly project: BenchProject;
  readonly dataDir: string;
};

function startTraced(upstream: string, share: string): Promise<Running> {
  return startGateway(upstream, ALL_FLAGS, {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: new URL('/collector', upstream).href,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: share,
    },
  });
}

/** Which checkout, and what its environment has beyond this process's. */
type GatewayPlace = { readonly folder?: string; readonly env?: Readonly<Record<string, string>> };

/** The whole gateway with its embedded Postgres, whose statistics tell how many queries it was asked. */
async function startGateway(
  upstream: string,
  flags: readonly string[],
  { folder = join(import.meta.dirname, '..'), env = {} }: GatewayPlace = {},
): Promise<Running> {
  const log = await open('/dev/null', 'a');
  const child = spawn(
    'taskset',
    [
      '-c',
      String(PROXY_CORE),
      process.execPath,
      ...flags,
      'bench/gateway.ts',
      '--upstream',
      upstream,
      '--port',
      String(await freePort()),
    ],
    { cwd: folder, stdio: ['ignore', log.fd, 'inherit', 'ipc'], env: { ...process.env, ...env } },
  );
  const message = await new Promise<GatewayMessage>((resolve, reject) => {
    child.once('message', (sent) => resolve(sent as GatewayMessage));
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}`)));
  });
  const { url, headers, others, project, dataDir } = message;
  const cluster = join(dataDir, 'postgres', 'data-18');
  const socket = encodeURIComponent(cluster);
  const client = new pg.Client({ connectionString: `postgresql://app@localhost/app?host=${socket}` });
  await client.connect();
  return {
    url,
    headers,
    others,
    project,
    pid: child.pid,
    storePid: Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10),
    queries: () => transactionsIn(client),
    async stop() {
      await client.end();
      await stopped(child);
      await log.close();
      await rm(dirname(dataDir), { recursive: true, force: true });
    },
  };
}

/** Every statement outside a transaction is one of its own; this look itself is taken out. */
async function transactionsIn(client: pg.Client): Promise<number> {
  // A connection's statistics are reported at most once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const found = await client.query(
    `SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = 'app'`,
  );
  return Number(found.rows[0].count);
}

/** Starts a script that prints `{ url, headers }` on its first line. */
async function startNode(script: string, upstream: string, core = PROXY_CORE): Promise<Running> {
  const child = spawn(
    'taskset',
    ['-c', String(core), process.execPath, '--max-semi-space-size=16', script, '--upstream', upstream],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const line = await firstLine(child);
  const { url, headers } = JSON.parse(line) as { url: string; headers: Record<string, string> };
  return { url: withPath(url), headers, pid: child.pid, stop: () => stopped(child) };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server under test ended with ${code}`)));
    if (child.stdout) createInterface({ input: child.stdout }).once('line', resolve);
  });
}

function stopped(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.removeAllListeners('exit');
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

function proxyLocation(upstream: string): string {
  const { host } = new URL(upstream);
  return `location / { client_max_body_size 100m; proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ''; }
  }
  upstream up { server ${host}; keepalive 64; keepalive_requests 10000000;`;
}

async function startNginx(core: number, location: string): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-nginx-'));
  const port = await freePort();
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 10000000; keepalive_timeout 600s;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:${port};
    ${location}
  }
}`,
  );
  const child = spawn(
    'taskset',
    ['-c', String(core), 'nginx', '-p', folder, '-c', join(folder, 'nginx.conf')],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const url = `http://127.0.0.1:${port}`;
  await answering(url);
  return {
    url,
    headers: {},
    pid: undefined,
    async stop() {
      await stopped(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

async function answering(url: string): Promise<void> {
  const deadlineMs = Date.now() + 5_000;
  while (Date.now() < deadlineMs) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer) {
      await answer.arrayBuffer();
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${url} does not answer`);
}
