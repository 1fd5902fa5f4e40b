import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { inQuietMs } from './quiet-time.ts';
import { watchTurns } from './watch-turns.ts';

/** Variables for a gateway whose event loop is to be measured over this socket. */
export function meterEnvironment(socketPath: string): Record<string, string> {
  const preload = pathToFileURL(`${import.meta.dirname}/event-loop-meter.ts`).href;
  return { EVENT_LOOP_METER: socketPath, NODE_OPTIONS: `--import=${preload}` };
}

export type EventLoopMeter = {
  /** The CPU time that the event loop's thread has used since the process began, in milliseconds. */
  readonly read: () => Promise<number>;
  /** The most CPU time that one turn of the event loop has used while `work` ran, in milliseconds. */
  readonly longestTurn: (work: () => Promise<unknown>) => Promise<number>;
  readonly close: () => void;
};

export async function openEventLoopMeter(socketPath: string): Promise<EventLoopMeter> {
  const socket = connect(socketPath);
  await once(socket, 'connect');
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const ask = async (what: '?' | '<' | '>') => {
    socket.write(what);
    const { value } = await lines.next();
    return Number(value) / 1000;
  };
  return {
    read: () => ask('?'),
    longestTurn: async (work) => {
      await ask('<');
      await work();
      return ask('>');
    },
    close: () => socket.destroy(),
  };
}

/** One request that may be expensive. Header fields as pairs, so that one can come twice. */
export type HostileRequest = {
  /** What it tries, for the report. */
  readonly name: string;
  readonly method: string;
  /** The request target as it is sent. */
  readonly target: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Made when it is sent, since all of them together would fill the memory. */
  readonly body?: () => string | Buffer;
  /** What has to happen before each try, not measured. */
  readonly prepare?: () => Promise<unknown>;
};

/** A client that keeps its connections. */
export function createSender(gatewayUrl: string) {
  const { hostname, port } = new URL(gatewayUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: TOGETHER });

  function send({ method, target, headers = [], body: make }: HostileRequest): Promise<number> {
    const body = make?.();
    return new Promise((resolve, reject) => {
      const fields = body === undefined ? [] : [['content-length', String(Buffer.byteLength(body))] as const];
      const sent = request({
        agent,
        host: hostname,
        port,
        method,
        path: target,
        headers: [['host', `${hostname}:${port}`] as const, ...headers, ...fields].flat(),
      });
      sent.on('response', (response) => {
        response.resume();
        response.once('close', () => resolve(response.statusCode ?? 0));
      });
      // A refusal that ends the connection (413, 431) may break what is still being sent.
      sent.on('error', (error) =>
        'code' in error && error.code !== 'ECONNREFUSED' ? resolve(0) : reject(error),
      );
      sent.end(body);
    });
  }

  return { send, close: () => agent.destroy() };
}

/** What one request may cost the thread that serves all callers. */
const BUDGET_MS = 50;
/** An expensive request is measured again: the first time it may have compiled code or collected garbage. */
const TRIES = 5;
/** Enough to see what is wrong; each more would cost five tries. */
const FINDINGS_MAX = 20;
/** The usual request costs some five milliseconds, so that these stay below the budget together. */
const TOGETHER = 6;

type Measured = { readonly meter: EventLoopMeter; readonly sender: ReturnType<typeof createSender> };

/**
 * Finds the requests that hold the event loop of the gateway for more than 50 ms, each with the least time. Several are sent
 * together first: where all of them cost its thread less than that, none held it. Of one that is answered after seconds, by
 * another thread, the sum would count what the gateway does all day.
 */
export async function findOverBudget(
  measured: Measured,
  requests: Iterable<HostileRequest>,
): Promise<string[]> {
  const found: string[] = [];
  const suspects = async (group: readonly HostileRequest[]) => {
    if (await isCheap(measured, group)) return;
    for (const request of group) found.push(...(await findCostly(measured, request)));
  };
  const group: HostileRequest[] = [];
  for (const request of requests) {
    // What has to happen before it would be measured with the others.
    if (request.prepare === undefined) group.push(request);
    else found.push(...(await findCostly(measured, request)));
    if (group.length === TOGETHER) await suspects(group.splice(0));
    if (found.length >= FINDINGS_MAX) return found;
  }
  await suspects(group);
  return found;
}

async function isCheap({ meter, sender }: Measured, group: readonly HostileRequest[]): Promise<boolean> {
  const before = await meter.read();
  const statuses = await Promise.all(group.map(sender.send));
  for (const [index, status] of statuses.entries()) refuseRateLimit(group[index], status);
  return (await meter.read()) - before <= BUDGET_MS;
}

async function findCostly({ meter, sender }: Measured, request: HostileRequest): Promise<string[]> {
  let leastMs = Number.POSITIVE_INFINITY;
  let status = 0;
  for (let attempt = 0; attempt < TRIES && leastMs > BUDGET_MS; attempt += 1) {
    await request.prepare?.();
    const heldMs = await meter.longestTurn(async () => {
      status = await sender.send(request);
    });
    leastMs = Math.min(leastMs, judge(heldMs));
  }
  refuseRateLimit(request, status);
  return leastMs > BUDGET_MS ? [`${leastMs.toFixed(0)} ms: ${request.name} -> ${status}`] : [];
}

/** Where it matters, what the same would have taken on a quiet machine. */
const judge = (ms: number) => (ms < BUDGET_MS ? ms : inQuietMs(ms));

function refuseRateLimit(request: HostileRequest | undefined, status: number): void {
  if (status === 429) throw new Error(`${request?.name} got no further than the rate limit`);
}

/**
 * The most CPU time that this thread has used in one turn of the event loop while `work` ran, in milliseconds of a quiet
 * machine.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  const endWatch = watchTurns();
  let longestUs = 0;
  try {
    await work();
  } finally {
    longestUs = endWatch();
  }
  return judge(longestUs / 1000);
}
