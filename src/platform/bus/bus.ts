import { z } from 'zod';
import { settleWithin } from '../../lib/settle-within.ts';
import type { Carrier } from './carrier.ts';

const BEAT_MS = 1_000;
/** A process that is not heard for so long is not on the bus. */
const SILENCE_MS = 3_500;
const PUBLISH_MS = 1_000;

const MESSAGE = z.object({ from: z.number(), sequence: z.number(), payloads: z.array(z.string()) });

export type Bus = ReturnType<typeof createBus>;

/**
 * Notices to every process by a carrier that may lose messages. Messages are numbered by their sender, and each process
 * sends one a second, so that a lost one shows when the next comes, and a process that does not hear itself knows that it
 * hears nothing.
 */
export function createBus(deps: {
  carrier: Carrier;
  processKey: number;
  onNotice(payload: string): void;
  /** Messages may have been lost: `isUp` says whether they arrive from now on. */
  onDoubt(isUp: boolean): void;
  now?: () => number;
}) {
  const { carrier, processKey, onNotice, onDoubt, now = () => performance.now() } = deps;
  const heard = new Map<number, { sequence: number; atMs: number }>();
  let sequence = 0;
  let isUp = false;
  let timer: NodeJS.Timeout | undefined;

  async function publish(payloads: readonly string[]): Promise<void> {
    sequence += 1;
    const text = JSON.stringify({ from: processKey, sequence, payloads });
    await settleWithin(PUBLISH_MS, carrier.publish(text), () =>
      Promise.reject(new Error('the bus took too long')),
    );
  }

  function handle(text: string): void {
    const message = read(text);
    if (message === undefined) return;
    const { from, payloads } = message;
    const before = heard.get(from);
    heard.set(from, { sequence: message.sequence, atMs: now() });
    if (from === processKey && !isUp) setUp(true);
    else if (before !== undefined && message.sequence !== before.sequence + 1) onDoubt(isUp);
    for (const payload of payloads) onNotice(payload);
  }

  function setUp(value: boolean): void {
    isUp = value;
    onDoubt(value);
  }

  function setDown(): void {
    heard.clear();
    if (isUp) setUp(false);
  }

  function beat(): void {
    publish([]).catch(() => undefined);
    const atMs = now();
    for (const [from, { atMs: last }] of heard) if (atMs - last > SILENCE_MS) heard.delete(from);
    if (isUp && !heard.has(processKey)) setUp(false);
  }

  return {
    isUp: () => isUp,
    /** Whether the process has been heard on the bus lately. */
    isHeard: (key: number) => heard.has(key),
    publish,
    start(): void {
      carrier.listen({ onMessage: handle, onDown: setDown });
      beat();
      timer = setInterval(beat, BEAT_MS).unref();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await carrier.stop();
    },
  };
}

/** Undefined for what is not of this program. */
function read(text: string): z.infer<typeof MESSAGE> | undefined {
  try {
    return MESSAGE.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
