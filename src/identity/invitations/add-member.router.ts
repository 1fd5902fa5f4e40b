import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { rateLimitedError } from '../../http/rate-limits.ts';
import { createRateLimiter } from '../../lib/rate-limit.ts';
import type { OperatorsStore } from '../../operators/accounts/operators.store.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { addMemberBody, memberSchema, toInvitedMemberWire } from '../../projects/members.schema.ts';
import type { MembersStore } from '../../projects/members.store.ts';
import { projectParams } from '../../projects/projects.schema.ts';
import type { Invite } from './invite.ts';

type AddMemberDependencies = {
  db: Db;
  members: MembersStore;
  operators: OperatorsStore;
  invite: Invite;
};

/** A success reveals that an address is an operator's, so the number of tries is limited. */
const MISSES_PER_HOUR = 20;

/** Inviting an operator who is there: the membership begins when that operator accepts. */
export function createAddMemberEndpoints({
  db,
  members,
  operators,
  invite,
}: AddMemberDependencies): Endpoint[] {
  const misses = createRateLimiter({ limit: MISSES_PER_HOUR, windowSeconds: 3_600 });

  /** Throws `invalid_request` for members, strangers and unverified addresses alike. */
  async function requireInvitable(trx: Db, callerId: string, projectId: string, email: string) {
    const operator = await operators.findByEmail(trx, email);
    const isInvitable =
      operator?.isEmailVerified === true && !(await members.find(trx, projectId, operator.id));
    if (isInvitable) return operator;
    misses.check(callerId);
    throw notAddedError();
  }

  const add = endpoint({
    operationId: 'addMember',
    method: 'post',
    path: '/projects/{projectId}/members',
    summary: 'Invite an operator to a project',
    description:
      'Only an operator whose e-mail address is verified; everybody else is invited by a link. The reply has `status: invited`: the membership begins when the operator accepts the invitation, in the dashboard or by `POST /v1/operators/me/invitations/{id}/accept`. Until then nothing of the operator changes, and the list of members is without them.',
    tag: 'Projects',
    principals: ['operator'],
    leastRole: 'admin',
    params: projectParams,
    body: addMemberBody,
    requestExample: { email: 'grace@example.com', role: 'admin' },
    success: { status: 201, schema: memberSchema, description: 'The member to be' },
    errors: ['project_not_found', 'rate_limited'],
    async handler({ principal, params: { projectId }, body, commitReply }) {
      const wanted = { projectId, ...body };
      await invite.assertMayInvite(principal, wanted);
      const guesses = misses.peek(principal.operatorId);
      if (!guesses.allowed) throw rateLimitedError(guesses);
      let mail = () => {};
      const reply = await commitReply(db, async (trx) => {
        const operator = await requireInvitable(trx, principal.operatorId, projectId, body.email);
        const invited = await invite.invite(trx, principal, { ...wanted, email: operator.email });
        mail = invited.mail;
        const member = toInvitedMemberWire(operator, invited.invitation);
        return { body: member, headers: { Location: `members/${operator.id}` } };
      });
      mail();
      return reply;
    },
  });

  return [add];
}

/** One refusal for members, strangers and unverified addresses: who may ask here does not learn who else is an operator. */
function notAddedError(): HttpError {
  const message =
    'No operator with this e-mail address can be added; invite it, or change the role of a member';
  return new HttpError('invalid_request', { errors: [{ path: 'body.email', message }] });
}
