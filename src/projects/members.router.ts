import type { RecordActivity } from '../activity/record.ts';
import { assertIfMatch, formatEtagOfState } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { PrincipalOf } from '../http/principal.ts';
import { readPage } from '../lib/cursor.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Role } from './access.store.ts';
import type { Access, AccessMode } from './access.ts';
import type { InvitationsStore } from './invitations.store.ts';
import {
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
   * Gives the browser a new cookie where its operator changes their own role in it; no other session changes. Answers the
   * cookies.
   */
  renewOwnSession(
    trx: Db,
    operatorId: string,
    by: { readonly principal: Operator; readonly request: Request },
  ): Promise<readonly string[]>;
};

type Request = Parameters<Endpoint['handler']>[0]['request'];
type Operator = PrincipalOf<['operator']>;
type MemberKey = { readonly projectId: string; readonly operatorId: string };

const TAG = 'Projects';

/** Who may manage a project. Admins manage admins and viewers; what concerns an owner takes an owner. */
export function createMembersEndpoints(deps: MembersDependencies): Endpoint[] {
  return [listMembers(deps), updateMember(deps), removeMember(deps)];
}

function listMembers({ access, members }: MembersDependencies): Endpoint {
  return endpoint({
    operationId: 'listMembers',
    method: 'get',
    path: '/projects/{projectId}/members',
    summary: 'List the members of a project',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'viewer',
    params: projectParams,
    query: membersQuery,
    success: { status: 200, schema: memberList, description: 'Members' },
    errors: ['project_not_found'],
    async handler({ principal, params, query }) {
      await access.requireProjectAccess(principal, params.projectId, 'read');
      const filter = { projectId: params.projectId, operatorId: query.operatorId };
      const { items, nextCursor } = await readPage(query, (window) => members.list({ ...filter, ...window }));
      return { body: { members: items.map(toMemberWire), nextCursor } };
    },
  });
}

const etagOf = ({ role }: Member) => formatEtagOfState(role);

function updateMember(deps: MembersDependencies): Endpoint {
  const { access, db, members, renewOwnSession } = deps;
  return endpoint({
    operationId: 'updateMember',
    method: 'patch',
    path: '/projects/{projectId}/members/{operatorId}',
    summary: 'Change a member’s role',
    description:
      'Counts from the member’s next request; their sessions go on, and who changes their own role in a browser gets a new cookie there. Open invitations that the member made and may not make any more are withdrawn. Keys that the member made go on working; the reply counts them.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'admin',
    params: memberParams,
    body: updateMemberBody,
    requestExample: { role: 'viewer' },
    success: { status: 200, schema: memberSchema, description: 'The member as changed' },
    errors: ['not_found', 'project_not_found', 'forbidden', 'precondition_failed'],
    async handler({ principal, params, body, request }) {
      const { projectId, operatorId } = params;
      const mode = modeToGive(body.role);
      await access.requireProjectAccess(principal, projectId, mode);
      return db.transaction(async (trx) => {
        const what = { projectId, mode, action: 'member.role_changed' } as const;
        const member = await changeMember(deps, trx, principal, what, async () => {
          const current = await requireChangeable(deps, trx, principal, params, body.role);
          assertIfMatch(request, etagOf(current));
          await members.setRole(trx, projectId, operatorId, body.role);
          await withdrawInvitations(deps, trx, principal, params, body.role);
          return members.find(trx, projectId, operatorId);
        });
        const cookies = await renewOwnSession(trx, member.id, { principal, request });
        return { body: toMemberWire(member), etag: etagOf(member), cookies };
      });
    },
  });
}

function removeMember(deps: MembersDependencies): Endpoint {
  const { access, db, members, renewOwnSession } = deps;
  return endpoint({
    operationId: 'removeMember',
    method: 'delete',
    path: '/projects/{projectId}/members/{operatorId}',
    summary: 'Remove a member',
    description:
      'Counts from the member’s next request; their sessions go on. Members of any role may remove themselves; the last owner cannot go. Open invitations that they made are withdrawn. Keys that they made go on working: `Gateway-Live-Keys` counts them, and `createdBy` of the API keys says which.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'admin',
    params: memberParams,
    success: { status: 204, description: 'Removed, at once' },
    errors: ['not_found', 'project_not_found', 'forbidden'],
    async handler({ principal, params, request }) {
      const { projectId, operatorId } = params;
      const isSelf = principal.operatorId === operatorId;
      const mode = isSelf ? 'read' : 'write';
      await access.requireProjectAccess(principal, projectId, mode);
      return db.transaction(async (trx) => {
        const what = { projectId, mode, action: 'member.removed' } as const;
        const removed = await changeMember(deps, trx, principal, what, async () => {
          const member = await requireChangeable(deps, trx, principal, params, undefined);
          await members.remove(trx, projectId, operatorId);
          await withdrawInvitations(deps, trx, principal, params, undefined);
          return member;
        });
        return {
          headers: { 'Gateway-Live-Keys': String(removed.liveApiKeys + removed.liveSigningKeys) },
          cookies: await renewOwnSession(trx, removed.id, { principal, request }),
        };
      });
    },
  });
}

/** The member, if the principal may change it and an owner is left afterwards. The project is locked. */
async function requireChangeable(
  { members }: MembersDependencies,
  trx: Db,
  principal: Operator,
  { projectId, operatorId }: MemberKey,
  newRole: Role | undefined,
): Promise<Member> {
  const member = await members.find(trx, projectId, operatorId);
  if (member === undefined) throw new HttpError('not_found');
  if (member.role !== 'owner') return member;
  const actor = await members.find(trx, projectId, principal.operatorId);
  if (actor?.role !== 'owner') throw new HttpError('insufficient_role');
  if (newRole !== 'owner' && !(await members.hasOtherOwner(trx, projectId, operatorId))) {
    throw new HttpError('forbidden', {
      detail: 'This is the last owner of the project. Make another member an owner first.',
    });
  }
  return member;
}

/** By role, the roles that it may not invite; without a role, every one. */
const NOT_INVITED_BY: Readonly<Record<Role | 'none', readonly Role[]>> = {
  owner: [],
  admin: ['owner'],
  viewer: ['owner', 'admin', 'viewer'],
  none: ['owner', 'admin', 'viewer'],
};

/** Withdraws what a member invited and may not invite with the new role: a link could bring the old role back. */
async function withdrawInvitations(
  { invitations, recordActivity }: MembersDependencies,
  trx: Db,
  actor: Operator,
  { projectId, operatorId }: MemberKey,
  role: Role | undefined,
): Promise<void> {
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
}

function modeToGive(role: Role): AccessMode {
  return role === 'owner' ? 'owner' : 'write';
}

type MemberChange = {
  readonly projectId: string;
  readonly mode: AccessMode;
  readonly action: 'member.role_changed' | 'member.removed';
};

/**
 * Makes a change with the project locked, if the actor may still make it, and records in the audit log the member that it
 * answers.
 */
async function changeMember(
  { access, projects, recordActivity }: MembersDependencies,
  trx: Db,
  actor: Operator,
  { projectId, mode, action }: MemberChange,
  work: () => Promise<Member | undefined>,
): Promise<Member> {
  if ((await projects.lock(trx, projectId)) === undefined) throw new HttpError('project_not_found');
  await access.requireProjectAccess(actor, projectId, mode, trx);
  const member = await work();
  if (member === undefined) throw new HttpError('not_found');
  const { id, email, role } = member;
  await recordActivity(trx, { projectId, actor, action, subjectId: id, details: { email, role } });
  return member;
}
