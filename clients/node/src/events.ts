import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from './api.ts';
import { GatewayError } from './errors.ts';
import { createSend, type SendOptions } from './send.ts';

export type StreamEventsInput = {
  /** The id of the last event that you have dealt with. Left out: from the oldest event that is kept. */
  readonly after?: string | undefined;
  /** Such as `hubspot.contact.created`, or `hubspot.*`. */
  readonly types?: readonly string[] | undefined;
  readonly connectionId?: string | undefined;
  /** Needed with a personal access token of an operator of several projects. */
  readonly projectId?: string | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
};

/** The gateway holds a request open for so long where there is no event. */
const WAIT_SECONDS = 25;
const TIMEOUT_MS = 60_000;
/** An empty answer that comes earlier is of a gateway with too many waiting readers; asking at once would add to them. */
const EMPTY_AFTER_MS = 1_000;
const BACKOFF_MS_MAX = 30_000;

/**
 * The events of a project in their order, for as long as you read. Trouble with the network or the gateway is waited out;
 * a refusal is thrown as a GatewayError, of which `events_expired` says that events after `after` are no longer kept.
 * Keep the id of the last event that you have dealt with: you see each event at least once.
 */
export function createStreamEvents(options: Pick<SendOptions, 'url' | 'apiKey'>) {
  const send = createSend({ ...options, timeoutMs: TIMEOUT_MS });

  return async function* streamEvents(input: StreamEventsInput = {}): AsyncGenerator<Event, void, undefined> {
    const { types, connectionId, projectId, signal } = input;
    const filter = { connectionId, projectId, types: types?.join(',') };
    let { after } = input;
    let failures = 0;
    while (!signal?.aborted) {
      const askedAtMs = performance.now();
      try {
        const query = { ...filter, after, wait: WAIT_SECONDS };
        const { body } = await send<{ events: Event[]; nextAfter: string }>('get', '/events', {
          query,
          signal,
        });
        failures = 0;
        yield* body.events;
        after = body.nextAfter;
        const isEarly = body.events.length === 0 && performance.now() - askedAtMs < EMPTY_AFTER_MS;
        if (isEarly) await pause(EMPTY_AFTER_MS * (1 + Math.random()), signal);
      } catch (error) {
        if (signal?.aborted) return;
        if (error instanceof GatewayError && !isTransient(error)) throw error;
        failures += 1;
        const pauseMs =
          Math.min(BACKOFF_MS_MAX, 500 * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
        await pause(pauseMs, signal);
      }
    }
  };
}

async function pause(pauseMs: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(pauseMs, undefined, signal ? { signal } : {}).catch(() => undefined);
}

/** A success that is thrown is of another server, which stands in the gateway's place. */
const isTransient = ({ status }: GatewayError) => status === 429 || status >= 500 || status < 300;
