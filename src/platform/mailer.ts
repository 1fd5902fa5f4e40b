import { setTimeout as delay } from 'node:timers/promises';
import nodemailer from 'nodemailer';
import pLimit from 'p-limit';
import { settleWithin } from '../lib/settle-within.ts';
import type { Log } from './logger.ts';

export type Mail = { readonly to: string; readonly subject: string; readonly text: string };

export type Mailer = {
  /** Whether mails are sent at all. */
  readonly canMail: boolean;
  /**
   * Sends in the background; resolves true once a mail server has taken the mail, false where it was given up. Never
   * rejects. `purpose` names the mail in the log.
   */
  send(purpose: string, mail: Mail): Promise<boolean>;
  /** Waits a moment for the mails under way. */
  stop(): Promise<void>;
};

const RUNNING_MAX = 2;
const WAITING_MAX = 200;
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
 * Sends plain-text mails through the server of `url`, two at a time, each at most three times. A mail holds a link that
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
  const transport = nodemailer.createTransport({
    url: options.url,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const limit = pLimit(RUNNING_MAX);
  const running = new Set<Promise<boolean>>();
  const stopping = new AbortController();

  async function sendOnce({ to, subject, text }: Mail): Promise<unknown> {
    try {
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
      return undefined;
    } catch (error) {
      return error;
    }
  }

  async function sendWithRetries(purpose: string, mail: Mail): Promise<boolean> {
    for (const pauseMs of [...pausesMs, undefined]) {
      const error = await sendOnce(mail);
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
    async send(purpose, mail) {
      if (limit.pendingCount >= WAITING_MAX) {
        log.warn({ purpose }, 'a mail was not sent: too many wait');
        return false;
      }
      const sending = limit(() => sendWithRetries(purpose, mail));
      running.add(sending);
      return sending.finally(() => running.delete(sending));
    },
    async stop() {
      stopping.abort();
      await settleWithin(STOP_LIMIT_MS, Promise.all(running), () => undefined);
      transport.close();
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
