import { rateLimitedError } from '../../http/rate-limits.ts';
import { createSharedLimits, type SharedLimits } from '../../platform/limits/shared-limits.ts';

const HOUR_SECONDS = 3_600;
const PER_OPERATOR = 60;
const PER_PROJECT = 100;
/** A person who gets mails that they did not ask for gets few, from all senders together. */
const PER_ADDRESS = 5;

type Inviter = { readonly operatorId: string };
type Invited = { readonly projectId: string; readonly email: string };

/**
 * Limits of invitations in an hour, by who invites, by project and by address: each is a mail in the gateway's name. All
 * processes count together. Members, whose address cannot be invited, cost nothing.
 */
export function createInvitationLimits(deps: {
  /** Left out: this process is the only one. */
  readonly sharedLimits?: Pick<SharedLimits, 'limiter'>;
}) {
  const { sharedLimits = createSharedLimits({ peers: () => 1 }) } = deps;
  const limiter = (of: string, limit: number) =>
    sharedLimits.limiter({ name: `invitations ${of}`, limit, windowSeconds: HOUR_SECONDS, isKept: true });
  const [operators, projects, addresses] = [
    limiter('by an operator', PER_OPERATOR),
    limiter('into a project', PER_PROJECT),
    limiter('of an address', PER_ADDRESS),
  ];

  const countersOf = ({ operatorId }: Inviter, { projectId, email }: Invited) => [
    { counter: operators, key: operatorId },
    { counter: projects, key: projectId.toLowerCase() },
    { counter: addresses, key: email.toLowerCase() },
  ];

  /** Rejects with `rate_limited` and `Retry-After` where one of them is used up. */
  async function assertLeft(inviter: Inviter, invited: Invited): Promise<void> {
    const looks = countersOf(inviter, invited).map(({ counter, key }) => counter.look(key));
    const refusal = (await Promise.all(looks)).find(({ allowed }) => !allowed);
    if (refusal !== undefined) throw rateLimitedError(refusal);
  }

  return {
    assertLeft,

    /** Counts an invitation. Rejects as `assertLeft` does, and then counts nothing. */
    async spend(inviter: Inviter, invited: Invited): Promise<void> {
      await assertLeft(inviter, invited);
      await Promise.all(countersOf(inviter, invited).map(({ counter, key }) => counter.check(key)));
    },
  };
}
