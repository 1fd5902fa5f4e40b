import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { closeServer, listen } from '../../test/support/listen.ts';

const BATCH_MS = 10;
const POST_BYTES = 1024;
/** Calls that wait for their outcome: a machine that cannot keep up sends fewer, instead of ever more at once. */
const OPEN_MAX = 500;
const SHED_PAUSE_MS = 500;

/** A provider that counts which POSTs have reached it, by their bodies. */
export async function startCountingProvider() {
  const posts = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [id = ''] = Buffer.concat(chunks).toString().split(' ');
    if (request.method === 'POST') posts.set(id, (posts.get(id) ?? 0) + 1);
    response.end('taken');
  });
  // Else a busy machine has it close connections that a call is just about to take.
  server.keepAliveTimeout = 60_000;
  const url = `http://127.0.0.1:${await listen(server)}`;
  return { url, posts, close: () => closeServer(server) };
}

export type Load = {
  /** How often each outcome was: `200`, another status with its body, or the message of an error. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** The ids of the POSTs that were answered 200. */
  readonly answeredPosts: readonly string[];
  /** How often a gateway without processor time refused a call before it did anything about it; it was sent again. */
  readonly shed: () => number;
  /** Ends it, once every call has its outcome. */
  readonly stop: () => Promise<void>;
};

/** Sends this many calls a second where the machine keeps up, two of five of them POSTs. */
export function startSteadyLoad(input: {
  dispatcher: Dispatcher;
  origin: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  callsPerSecond: number;
}): Load {
  const outcomes = new Map<string, number>();
  const answeredPosts: string[] = [];
  const open = new Set<Promise<void>>();
  const filler = randomBytes(POST_BYTES / 2).toString('hex');
  let [due, turnedAt] = [0, performance.now()];
  let sent = 0;
  let shed = 0;
  const call = async () => {
    sent += 1;
    const id = sent % 5 < 2 ? randomUUID() : undefined;
    const body = id === undefined ? undefined : `${id} ${filler}`;
    let outcome = await send(input, body);
    for (; isShed(outcome); shed += 1) {
      await pause(SHED_PAUSE_MS);
      outcome = await send(input, body);
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (id !== undefined && outcome === '200') answeredPosts.push(id);
  };
  const timer = setInterval(() => {
    const nowMs = performance.now();
    // What was not sent in the last second is not made up for.
    const wanted = due + ((nowMs - turnedAt) / 1000) * input.callsPerSecond;
    due = Math.min(wanted, sent + input.callsPerSecond);
    turnedAt = nowMs;
    while (sent < due && open.size < OPEN_MAX) {
      const calling = call();
      open.add(calling);
      void calling.finally(() => open.delete(calling));
    }
  }, BATCH_MS);
  const stop = async () => {
    clearInterval(timer);
    await Promise.all(open);
  };
  return { outcomes, answeredPosts, shed: () => shed, stop };
}

/** Another 503 fails the test: a balancer without a gateway, or a gateway without its store. */
export const isShed = (outcome: string): boolean => /^503 .*errors#overloaded"/.test(outcome);

async function send(input: Parameters<typeof startSteadyLoad>[0], body: string | undefined): Promise<string> {
  const { dispatcher, origin, path, headers } = input;
  try {
    const method = body === undefined ? 'GET' : 'POST';
    const answer = await dispatcher.request({
      origin,
      path,
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    const text = await answer.body.text();
    return answer.statusCode === 200 ? '200' : `${answer.statusCode} ${text.slice(0, 200)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
