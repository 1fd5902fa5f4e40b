import { rateLimitedError } from '../../http/rate-limits.ts';
import { createRateLimiter } from '../../lib/rate-limit.ts';

const HOUR_SECONDS = 3_600;
const PER_OPERATOR = 60;
const PER_PROJECT = 100;
/** A person who gets mails that they did not ask for gets few, from all senders together. */
const PER_ADDRESS = 5;

type Inviter = { readonly operatorId: string };
type Invited = { readonly projectId: string; readonly email: string };

/**
 * Limits of invitations in an hour, by who invites, by project and by address: each is a mail in the gateway's name. In
 * memory, per process. Members, whose address cannot be invited, cost nothing.
 */
export function createInvitationLimits() {
  const limiter = (limit: number) => createRateLimiter({ limit, windowSeconds: HOUR_SECONDS });
  const [operators, projects, addresses] = [
    limiter(PER_OPERATOR),
    limiter(PER_PROJECT),
    limiter(PER_ADDRESS),
  ];

  const countersOf = ({ operatorId }: Inviter, { projectId, email }: Invited) => [
    { counter: operators, key: operatorId },
    { counter: projects, key: projectId.toLowerCase() },
    { counter: addresses, key: email.toLowerCase() },
  ];

  /** Throws `rate_limited` with `Retry-After` where one of them is used up. */
  function assertLeft(inviter: Inviter, invited: Invited): void {
    for (const { counter, key } of countersOf(inviter, invited)) {
      const state = counter.peek(key);
      if (!state.allowed) throw rateLimitedError(state);
    }
  }

  return {
    assertLeft,

    /** Counts an invitation. Throws as `assertLeft` does, and then counts nothing. */
    spend(inviter: Inviter, invited: Invited): void {
      assertLeft(inviter, invited);
      for (const { counter, key } of countersOf(inviter, invited)) counter.check(key);
    },
  };
}
