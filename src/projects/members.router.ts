import type { RecordActivity } from '../activity/record.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { PrincipalOf } from '../http/principal.ts';
import { rateLimitedError } from '../http/rate-limits.ts';
import { decodeCursor, page } from '../lib/cursor.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Role } from './access.store.ts';
import type { Access, AccessMode } from './access.ts';
import type { InvitationsStore } from './invitations.store.ts';
import {
  addMemberBody,
  memberList,
  memberParams,
  memberSchema,
  membersQuery,
  toMemberWire,
  updateMemberBody,
} from './members.schema.ts';
import type { Member, MembersStore } from './members.store.ts';
import { projectParams } from './projects.schema.ts';
import type { ProjectsStore } from './projects.store.ts';

export type MembersDependencies = {
  db: Db;
  access: Access;
  projects: ProjectsStore;
  members: MembersStore;
  invitations: Pick<InvitationsStore, 'removeMadeBy'>;
  recordActivity: RecordActivity;
  /**
   * Ends the sessions of an operator whose role changes. Answers the cookies of a new one where the operator makes the
   * change from a browser.
   */
  renewSessions(
    trx: Db,
    operatorId: string,
    by: { readonly principal: Operator; readonly request: Request },
  ): Promise<readonly string[]>;
};

type Request = Parameters<Endpoint['handler']>[0]['request'];
type Operator = PrincipalOf<['operator']>;

const TAG = 'Projects';

/** A success reveals that an address is an operator's, so the number of tries is limited. */
const MISSES_PER_HOUR = 20;

/** Who may manage a project. Admins manage admins and viewers; what concerns an owner takes an owner. */
export function createMembersEndpoints(deps: MembersDependencies): Endpoint[] {
  const { db, access, members } = deps;
  const change = createMemberChange(deps);
  const withdrawInvitations = createWithdrawInvitations(deps);
  const misses = createRateLimiter({ limit: MISSES_PER_HOUR, windowSeconds: 3_600 });

  const list = endpoint({
    operationId: 'listMembers',
    method: 'get',
    path: '/projects/{projectId}/members',
    summary: 'List the members of a project',
    tag: TAG,
    principals: ['operator'],
    params: projectParams,
    query: membersQuery,
    success: { status: 200, schema: memberList, description: 'Members' },
    errors: ['project_not_found'],
    async handler({ principal, params, query }) {
      await access.requireProjectAccess(principal, params.projectId, 'read');
      const rows = await members.list({
        projectId: params.projectId,
        operatorId: query.operatorId,
        beforeId: decodeCursor(query.cursor),
        limit: query.limit + 1,
      });
      const { items, nextCursor } = page(rows, query.limit);
      return { body: { members: items.map(toMemberWire), nextCursor } };
    },
  });

  const add = endpoint({
    operationId: 'addMember',
    method: 'post',
    path: '/projects/{projectId}/members',
    summary: 'Add an operator to a project',
    description:
      'Only an operator whose e-mail address is verified. Everybody else is invited, and becomes a member by accepting.',
    tag: TAG,
    principals: ['operator'],
    params: projectParams,
    body: addMemberBody,
    requestExample: { email: 'grace@example.com', role: 'admin' },
    success: { status: 201, schema: memberSchema, description: 'The member' },
    errors: ['project_not_found', 'insufficient_role'],
    async handler({ principal, params: { projectId }, body, commitReply }) {
      const mode = modeToGive(body.role);
      await access.requireProjectAccess(principal, projectId, mode);
      const guesses = misses.peek(principal.operatorId);
      if (!guesses.allowed) throw rateLimitedError(guesses);
      return commitReply(db, async (trx) => {
        const member = await change(trx, principal, { projectId, mode, action: 'member.added' }, async () => {
          const operatorId = await members.findVerifiedOperatorId(trx, body.email);
          const isAdded =
            operatorId !== undefined && (await members.insert(trx, projectId, operatorId, body.role));
          if (!isAdded) {
            misses.check(principal.operatorId);
            throw memberNotAddedError();
          }
          return members.find(trx, projectId, operatorId);
        });
        return { body: toMemberWire(member), headers: { Location: `members/${member.id}` } };
      });
    },
  });

  const update = endpoint({
    operationId: 'updateMember',
    method: 'patch',
    path: '/projects/{projectId}/members/{operatorId}',
    summary: 'Change a member’s role',
    description:
      'Takes effect at once. The member’s sessions end, except the one that asks, which gets a new cookie; open invitations that the member made and may not make any more are withdrawn.',
    tag: TAG,
    principals: ['operator'],
    params: memberParams,
    body: updateMemberBody,
    requestExample: { role: 'viewer' },
    success: { status: 200, schema: memberSchema, description: 'The member as changed' },
    errors: ['not_found', 'project_not_found', 'insufficient_role', 'forbidden'],
    async handler({ principal, params: { projectId, operatorId }, body, request }) {
      const mode = modeToGive(body.role);
      await access.requireProjectAccess(principal, projectId, mode);
      return db.transaction(async (trx) => {
        const what = { projectId, mode, action: 'member.role_changed' } as const;
        const member = await change(trx, principal, what, async () => {
          await holdChangeable(trx, principal, projectId, operatorId, body.role);
          await members.setRole(trx, projectId, operatorId, body.role);
          await withdrawInvitations(trx, principal, projectId, operatorId, body.role);
          return members.find(trx, projectId, operatorId);
        });
        const cookies = await deps.renewSessions(trx, member.id, { principal, request });
        return { body: toMemberWire(member), cookies };
      });
    },
  });

  const remove = endpoint({
    operationId: 'removeMember',
    method: 'delete',
    path: '/projects/{projectId}/members/{operatorId}',
    summary: 'Remove a member',
    description:
      'Members of any role may remove themselves; the last owner cannot go. Their sessions end, except the one that asks, and open invitations that they made are withdrawn.',
    tag: TAG,
    principals: ['operator'],
    params: memberParams,
    success: { status: 204, description: 'Removed, at once' },
    errors: ['not_found', 'project_not_found', 'insufficient_role', 'forbidden'],
    async handler({ principal, params: { projectId, operatorId }, request }) {
      const isSelf = principal.operatorId === operatorId.toLowerCase();
      const mode = isSelf ? 'read' : 'write';
      await access.requireProjectAccess(principal, projectId, mode);
      return db.transaction(async (trx) => {
        const what = { projectId, mode, action: 'member.removed' } as const;
        const removed = await change(trx, principal, what, async () => {
          const member = await holdChangeable(trx, principal, projectId, operatorId, undefined);
          await members.remove(trx, projectId, operatorId);
          await withdrawInvitations(trx, principal, projectId, operatorId, undefined);
          return member;
        });
        return { cookies: await deps.renewSessions(trx, removed.id, { principal, request }) };
      });
    },
  });

  /** The member, if the principal may change it and an owner is left afterwards. The project is locked. */
  async function holdChangeable(
    trx: Db,
    principal: Operator,
    projectId: string,
    operatorId: string,
    newRole: Role | undefined,
  ): Promise<Member> {
    const member = await members.find(trx, projectId, operatorId);
    if (member === undefined) throw new HttpError('not_found');
    if (member.role !== 'owner') return member;
    const actor = await members.find(trx, projectId, principal.operatorId);
    if (actor?.role !== 'owner') throw new HttpError('insufficient_role');
    if (newRole !== 'owner' && !(await members.hasOtherOwner(trx, projectId, operatorId))) {
      throw new HttpError('forbidden', {
        detail: 'This is the last owner of the project. Make somebody else an owner first.',
      });
    }
    return member;
  }

  return [list, add, update, remove];
}

/** By role, the roles that it may not invite; without a role, every one. */
const NOT_INVITED_BY: Readonly<Record<Role | 'none', readonly Role[]>> = {
  owner: [],
  admin: ['owner'],
  viewer: ['owner', 'admin', 'viewer'],
  none: ['owner', 'admin', 'viewer'],
};

/** Withdraws what a member invited and may not invite with the new role: a link could bring the old role back. */
function createWithdrawInvitations({ invitations, recordActivity }: MembersDependencies) {
  return async (
    trx: Db,
    actor: Operator,
    projectId: string,
    operatorId: string,
    role: Role | undefined,
  ): Promise<void> => {
    const roles = NOT_INVITED_BY[role ?? 'none'];
    for (const gone of await invitations.removeMadeBy(trx, projectId, operatorId, roles)) {
      await recordActivity(trx, {
        projectId: gone.projectId,
        actor,
        action: 'invitation.deleted',
        subjectId: gone.id,
        details: { email: gone.email, role: gone.role },
      });
    }
  };
}

function modeToGive(role: Role): AccessMode {
  return role === 'owner' ? 'owner' : 'write';
}

type MemberChange = {
  readonly projectId: string;
  readonly mode: AccessMode;
  readonly action: 'member.added' | 'member.role_changed' | 'member.removed';
};

/**
 * Makes a change with the project locked, if the actor may still make it, and tells the audit log of the member that it
 * answers.
 */
function createMemberChange({ access, projects, recordActivity }: MembersDependencies) {
  return async (
    trx: Db,
    actor: Operator,
    { projectId, mode, action }: MemberChange,
    work: () => Promise<Member | undefined>,
  ): Promise<Member> => {
    if ((await projects.lock(trx, projectId)) === undefined) throw new HttpError('project_not_found');
    await access.requireProjectAccess(actor, projectId, mode, trx);
    const member = await work();
    if (member === undefined) throw new HttpError('not_found');
    const { id, email, role } = member;
    await recordActivity(trx, { projectId, actor, action, subjectId: id, details: { email, role } });
    return member;
  };
}

/** One refusal for members, strangers and unverified addresses: who may ask here is not told who else is an operator. */
function memberNotAddedError(): HttpError {
  const message =
    'No operator with this e-mail address can be added; invite it, or change the role of a member';
  return new HttpError('invalid_request', { errors: [{ path: 'body.email', message }] });
}
