import { HttpError } from '../../http/errors.ts';
import { createFairQueue, QueueFullError } from '../../lib/fair-queue.ts';
import { hashPassword, verifyPassword, withoutPadding } from './password.ts';

/** Each takes a thread of libuv's pool, of which there are four, and 46 MiB. */
const RUNNING_MAX = 2;
const WAITING_PER_NETWORK_MAX = 4;
const WAITING_MAX = 100;

/** What an unknown account's password is compared with: a hash of nothing, at the costs of a new one. */
const NO_ACCOUNT = hashOfNothing();

export type PasswordWork = ReturnType<typeof createPasswordWork>;

/**
 * Hashes passwords off the event loop, two at a time in a process. Networks take turns, so that a flood from one address
 * delays the sign-in of another by one hash. Rejects with `overloaded` where too many wait.
 */
export function createPasswordWork() {
  const queue = createFairQueue({
    running: RUNNING_MAX,
    waitingPerKeyMax: WAITING_PER_NETWORK_MAX,
    waitingMax: WAITING_MAX,
  });

  async function run<Result>(network: string, task: () => Promise<Result>): Promise<Result> {
    try {
      return await queue.run(network, task);
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
      throw new HttpError('overloaded', { headers: { 'Retry-After': '2' } });
    }
  }

  return {
    hash: (network: string, password: string): Promise<string> => run(network, () => hashPassword(password)),

    /** False without a stored hash, after the same work: the time of the answer does not tell who has an account. */
    async verify(network: string, password: string, stored: string | null | undefined): Promise<boolean> {
      const isRight = await run(network, () => verifyPassword(password, stored ?? NO_ACCOUNT));
      return isRight && stored != null;
    },
  };
}

function hashOfNothing(): string {
  const salt = withoutPadding(Buffer.alloc(16));
  const hash = withoutPadding(Buffer.alloc(32));
  return `$argon2id$v=19$m=47104,t=1,p=1$${salt}$${hash}`;
}
