import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContactChange } from './contact-change.ts';
import type { OAuthStore } from './oauth-store.ts';
import type { WebhookApp, WebhookApps } from './webhook-apps.ts';
import { buildWebhookEvents, type WebhookEvent } from './webhook-events.ts';
import { signV3 } from './webhook-signature.ts';

/** One try to deliver a batch. */
export type WebhookAttempt = {
  readonly at: Date;
  readonly clientId: string;
  readonly portalId: number;
  readonly events: number;
  readonly attemptNumber: number;
  /** Of the answer; 0 where there was none. */
  readonly status: number;
};

export type WebhookSender = ReturnType<typeof createWebhookSender>;

type Queue = {
  readonly app: WebhookApp;
  readonly portalId: number;
  events: WebhookEvent[];
  isSending: boolean;
};

const BATCH_EVENTS_MAX = 100;
/** More than that wait for one app and account only where its address has been dead for long. */
const WAITING_EVENTS_MAX = 10_000;
const TIMEOUT_MS = 5000;
const ATTEMPTS_KEPT = 50;
/** HubSpot tries ten times more within a day; here the first tries follow each other faster, for those who watch. */
const RETRY_DELAYS_MS = [1, 2, 5, 15, 60, 300, 900, 1800, 3600, 7200].map((seconds) => seconds * 1000);

/**
 * Sends changes to the apps that are installed in the account, as HubSpot does: batches of at most 100 events, signed,
 * tried again until they are answered with 2xx or the tries are used up. One batch of an app and an account is under
 * way at a time, in the order of the changes.
 */
export function createWebhookSender(deps: {
  readonly apps: WebhookApps;
  readonly store: OAuthStore;
  readonly now: () => Date;
  readonly log: (line: string) => void;
  readonly retryDelaysMs?: readonly number[] | undefined;
}) {
  const { apps, store, now, log, retryDelaysMs = RETRY_DELAYS_MS } = deps;
  const queues = new Map<string, Queue>();
  const attempts: WebhookAttempt[] = [];
  const stopping = new AbortController();
  let lastEventId = randomInt(2 ** 31);

  function queueOf(app: WebhookApp, portalId: number): Queue {
    const key = `${app.clientId} ${portalId}`;
    const queue = queues.get(key) ?? { app, portalId, events: [], isSending: false };
    queues.set(key, queue);
    return queue;
  }

  function nextEventId(): number {
    lastEventId += 1;
    return lastEventId;
  }

  async function sendAll(queue: Queue): Promise<void> {
    // Changes of one call, such as several properties, end up in one batch.
    await sleep(0);
    while (queue.events.length > 0 && !stopping.signal.aborted) {
      const batch = queue.events.splice(0, BATCH_EVENTS_MAX);
      const isDelivered = await deliver(queue, batch);
      if (!isDelivered && !stopping.signal.aborted)
        log(`demo-crm: gave up a batch of ${batch.length} events for account ${queue.portalId}`);
    }
    queue.isSending = false;
  }

  async function deliver({ app, portalId }: Queue, batch: readonly WebhookEvent[]): Promise<boolean> {
    for (const [attemptNumber, delayMs] of [0, ...retryDelaysMs].entries()) {
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      // The address may have been taken away meanwhile.
      if (stopping.signal.aborted || app.targetUrl === undefined) return false;
      const events = batch.map((event) => ({ ...event, attemptNumber }));
      const status = await post(app, app.targetUrl, JSON.stringify(events));
      attempts.push({
        at: now(),
        clientId: app.clientId,
        portalId,
        events: batch.length,
        attemptNumber,
        status,
      });
      attempts.splice(0, attempts.length - ATTEMPTS_KEPT);
      if (status >= 200 && status < 300) return true;
    }
    return false;
  }

  /** Status of the answer; 0 where none came within five seconds. Redirects are not followed. */
  async function post({ clientId }: WebhookApp, url: string, body: string): Promise<number> {
    const timestampMs = Date.now();
    const clientSecret = store.client(clientId)?.clientSecret ?? '';
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Demo CRM webhooks',
          'x-hubspot-request-timestamp': String(timestampMs),
          'x-hubspot-signature-v3': signV3(clientSecret, { method: 'POST', url, body, timestampMs }),
        },
        body,
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      return 0;
    }
  }

  return {
    /** The latest tries, oldest first, at most 50. */
    attempts: attempts as readonly WebhookAttempt[],

    /** Queues a change of an account for every app that is installed there and wants to know it. */
    tell: (portalId: number, change: ContactChange): void => {
      for (const app of apps.all()) {
        if (app.targetUrl === undefined || app.isPaused || !store.isInstalled(app.clientId, portalId))
          continue;
        const queue = queueOf(app, portalId);
        const room = WAITING_EVENTS_MAX - queue.events.length;
        queue.events.push(...buildWebhookEvents(change, { app, portalId, nextEventId }).slice(0, room));
        if (queue.isSending) continue;
        queue.isSending = true;
        void sendAll(queue);
      }
    },

    /** Events that wait for their batch, of all apps and accounts. */
    waiting: (): number => [...queues.values()].reduce((sum, { events }) => sum + events.length, 0),

    /** Gives up what is under way, and sends nothing more. */
    stop: (): void => stopping.abort(),
  };
}
