import { setTimeout as delay } from 'node:timers/promises';
import { createFairQueue } from '../lib/fair-queue.ts';
import { settleWithin } from '../lib/settle-within.ts';
import type { Log } from './logger.ts';

export type Mail = { readonly to: string; readonly subject: string; readonly text: string };

/** A link to a new password has a queue of its own, so that no other mail delays it. */
export type MailPurpose = 'password reset' | 'invitation' | 'token created';

export type Mailer = {
  /** Whether mails are sent at all. */
  readonly canMail: boolean;
  /**
   * Sends in the background; resolves true once a mail server has taken the mail, false where it was given up. Never
   * rejects. `purpose` names the mail in the log, `party` the operator who brings it about: parties take turns.
   */
  send(purpose: MailPurpose, mail: Mail, party: string): Promise<boolean>;
  /** Waits briefly for the mails under way. */
  stop(): Promise<void>;
};

const RUNNING_MAX = 2;
/** Under way at once, pauses before another try included. */
const UNDER_WAY_MAX = 1_000;
const UNDER_WAY_PER_PARTY_MAX = 50;
const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 20_000;
const PAUSES_MS = [1_000, 10_000] as const;
const STOP_LIMIT_MS = 3_000;
/** RFC 5321 section 4.2.1: 5yz is for good. */
const PERMANENT_FROM = 500;

/** A gateway without SMTP_URL. */
export const NO_MAILER: Mailer = {
  canMail: false,
  send: async () => false,
  stop: async () => undefined,
};

/**
 * Sends plain-text mails through the server of `url`, two at a time of a queue, each at most three times. A mail holds a link that
 * is stored as a hash only, so that the queue is in memory: a mail that waits when the process ends is lost, and its
 * reader asks for another one.
 */
export function createMailer(options: {
  url: string;
  from: string;
  log: Pick<Log, 'warn'>;
  pausesMs?: readonly number[];
}): Mailer {
  const { from, log, pausesMs = PAUSES_MS } = options;
  const opening = openTransport(options.url);
  const [resets, others] = [createLane(), createLane()];
  const laneOf = (purpose: MailPurpose) => (purpose === 'password reset' ? resets : others);
  const running = new Set<Promise<boolean>>();
  const stopping = new AbortController();

  async function sendOnce({ to, subject, text }: Mail): Promise<unknown> {
    try {
      const transport = await opening;
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Each try takes a turn of its own: a mail that waits for its next try holds no place. */
  async function sendWithRetries(purpose: MailPurpose, mail: Mail, party: string): Promise<boolean> {
    const { queue } = laneOf(purpose);
    for (const pauseMs of [...pausesMs, undefined]) {
      const error = await queue.run(party, () => sendOnce(mail)).catch((full: unknown) => full);
      if (error === undefined) return true;
      const isLast = pauseMs === undefined || isPermanent(error) || stopping.signal.aborted;
      log.warn({ purpose, ...describe(error), isLast }, 'a mail could not be sent');
      if (isLast) return false;
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    return false;
  }

  return {
    canMail: true,
    async send(purpose, mail, party) {
      const { underWay } = laneOf(purpose);
      if (!underWay.take(party)) {
        log.warn({ purpose }, 'a mail was not sent: too many wait');
        return false;
      }
      const sending = sendWithRetries(purpose, mail, party);
      running.add(sending);
      return sending.finally(() => {
        running.delete(sending);
        underWay.give(party);
      });
    },
    async stop() {
      stopping.abort();
      await settleWithin(STOP_LIMIT_MS, Promise.all(running), () => undefined);
      (await opening).close();
    },
  };
}

/** The library is loaded here, since a gateway without SMTP_URL should not hold it. */
async function openTransport(url: string) {
  const { default: nodemailer } = await import('nodemailer');
  return nodemailer.createTransport({
    url,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function createLane() {
  const queue = createFairQueue({
    running: RUNNING_MAX,
    waitingPerKeyMax: UNDER_WAY_PER_PARTY_MAX,
    waitingMax: UNDER_WAY_MAX,
    sharesPlaces: true,
  });
  return { queue, underWay: createUnderWay() };
}

/** How many mails are under way, in all and by key. */
function createUnderWay() {
  const byKey = new Map<string, number>();
  let total = 0;
  return {
    /** False where there is no room. */
    take(key: string): boolean {
      const held = byKey.get(key) ?? 0;
      if (held >= UNDER_WAY_PER_PARTY_MAX || total >= UNDER_WAY_MAX) return false;
      byKey.set(key, held + 1);
      total += 1;
      return true;
    },

    give(key: string): void {
      const held = (byKey.get(key) ?? 1) - 1;
      if (held === 0) byKey.delete(key);
      else byKey.set(key, held);
      total -= 1;
    },
  };
}

/** The error itself may hold the mail's text or the server's password. */
function describe(error: unknown): { code: string; responseCode: number | undefined } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return { code, responseCode: responseCodeOf(error) };
}

function responseCodeOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'responseCode' in error ? error.responseCode : undefined;
  return typeof code === 'number' ? code : undefined;
}

function isPermanent(error: unknown): boolean {
  return (responseCodeOf(error) ?? 0) >= PERMANENT_FROM;
}
