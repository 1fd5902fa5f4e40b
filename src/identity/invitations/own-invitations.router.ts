import { z } from 'zod';
import type { RecordActivity } from '../../activity/record.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { listQuery, readPage } from '../../lib/cursor.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { InvitationsStore, OwnInvitation } from '../../projects/invitations.store.ts';
import { memberSchema, toMemberWire } from '../../projects/members.schema.ts';
import type { MembersStore } from '../../projects/members.store.ts';
import type { ProjectsStore } from '../../projects/projects.store.ts';
import { joinProject } from './join-project.ts';

type OwnInvitationsDependencies = {
  db: Db;
  projects: ProjectsStore;
  members: MembersStore;
  invitations: InvitationsStore;
  recordActivity: RecordActivity;
};

const TAG = 'Signing in';

const ownInvitationSchema = z
  .object({
    id: z.uuid(),
    project: z.object({ id: z.uuid(), name: z.string() }),
    role: z.enum(['owner', 'admin', 'viewer']),
    invitedBy: z
      .object({ email: z.string(), name: z.string().nullable() })
      .nullable()
      .meta({ description: 'The operator who invites.' }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'OwnInvitation' });

const ownInvitationList = z
  .object({ invitations: z.array(ownInvitationSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'OwnInvitationList' });

const params = z.strictObject({ id: z.uuid() });

/**
 * Invitations to projects, as the operator sees them whose address they are for. Only a verified address is shown any:
 * the account of another one may belong to a person who only guessed that it would be invited (decision 0034).
 */
export function createOwnInvitationsEndpoints(deps: OwnInvitationsDependencies): Endpoint[] {
  return [listOwnInvitations(deps), acceptOwnInvitation(deps), declineInvitation(deps)];
}

function listOwnInvitations({ invitations }: OwnInvitationsDependencies): Endpoint {
  return endpoint({
    operationId: 'listOwnInvitations',
    method: 'get',
    path: '/operators/me/invitations',
    summary: 'List the projects that you are invited to',
    description:
      'Where your address is not verified, the list is empty: accept by the link of the invitation.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    query: z.strictObject(listQuery),
    success: {
      status: 200,
      schema: ownInvitationList,
      description: 'Invitations that you can accept or decline',
    },
    async handler({ principal: { operatorId }, query }) {
      const { items, nextCursor } = await readPage(query, (window) =>
        invitations.listOfOperator({ operatorId, ...window }),
      );
      return { body: { invitations: items.map(toWire), nextCursor } };
    },
  });
}

function acceptOwnInvitation(deps: OwnInvitationsDependencies): Endpoint {
  const { db, projects, members, invitations } = deps;
  return endpoint({
    operationId: 'acceptOwnInvitation',
    method: 'post',
    path: '/operators/me/invitations/{id}/accept',
    summary: 'Join a project that you are invited to',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    params,
    success: { status: 200, schema: memberSchema, description: 'You, as a member' },
    errors: ['not_found', 'csrf_rejected'],
    handler: ({ principal, params: { id }, commitReply }) =>
      commitReply(db, async (trx) => {
        const { operatorId, sourceAddress } = principal;
        const found = await invitations.findOfOperator(trx, operatorId, id);
        // Locked before the invitation is used up, as every change of members is.
        const project = found && (await projects.lock(trx, found.projectId));
        const invitation = project && (await invitations.removeOfOperator(trx, operatorId, id));
        if (invitation === undefined) throw new HttpError('not_found');
        await joinProject(deps, trx, invitation, { operatorId, sourceAddress });
        const member = await members.find(trx, invitation.projectId, operatorId);
        if (member === undefined) throw new HttpError('not_found');
        return { body: toMemberWire(member) };
      }),
  });
}

function declineInvitation({ db, invitations, recordActivity }: OwnInvitationsDependencies): Endpoint {
  return endpoint({
    operationId: 'declineInvitation',
    method: 'delete',
    path: '/operators/me/invitations/{id}',
    summary: 'Decline an invitation',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    params,
    success: { status: 204, description: 'Declined; its link no longer works' },
    errors: ['not_found', 'csrf_rejected'],
    async handler({ principal, params: { id } }) {
      await db.transaction(async (trx) => {
        const declined = await invitations.removeOfOperator(trx, principal.operatorId, id);
        if (declined === undefined) throw new HttpError('not_found');
        const { projectId, email, role } = declined;
        await recordActivity(trx, {
          projectId,
          actor: principal,
          action: 'invitation.declined',
          subjectId: id,
          details: { email, role },
        });
      });
      return {};
    },
  });
}

function toWire({ id, projectId, projectName, role, invitedBy, createdAt, expiresAt }: OwnInvitation) {
  return {
    ...{ id, role, invitedBy },
    project: { id: projectId, name: projectName },
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}
