import type { RecordActivity } from '../../activity/record.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { readPage } from '../../lib/cursor.ts';
import type { OperatorsStore } from '../../operators/accounts/operators.store.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access } from '../../projects/access.ts';
import type { InvitationsStore } from '../../projects/invitations.store.ts';
import { projectParams } from '../../projects/projects.schema.ts';
import {
  createInvitationBody,
  invitationFacts,
  invitationList,
  invitationParams,
  invitationsQuery,
  lookUpInvitationBody,
  newInvitationSchema,
  toInvitationWire,
} from './invitations.schema.ts';
import type { Invite } from './invite.ts';

type InvitationsDependencies = {
  db: Db;
  access: Access;
  invitations: InvitationsStore;
  operators: OperatorsStore;
  invite: Invite;
  recordActivity: RecordActivity;
};

const TAG = 'Projects';
const BODY_BYTES_MAX = 4 * 1024;

/** Inviting operators into a project. Admins invite admins and viewers; owners are invited by owners. */
export function createInvitationsEndpoints(deps: InvitationsDependencies): Endpoint[] {
  return [listInvitations(deps), inviteByLink(deps), withdraw(deps), lookUp(deps)];
}

function listInvitations({ access, invitations }: InvitationsDependencies): Endpoint {
  return endpoint({
    operationId: 'listInvitations',
    method: 'get',
    path: '/projects/{projectId}/invitations',
    summary: 'List the open invitations of a project',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'viewer',
    params: projectParams,
    query: invitationsQuery,
    success: { status: 200, schema: invitationList, description: 'Invitations that can still be accepted' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, query }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const { items, nextCursor } = await readPage(query, (window) =>
        invitations.list({ projectId, ...window }),
      );
      return { body: { invitations: items.map(toInvitationWire), nextCursor } };
    },
  });
}

function inviteByLink({ db, invite }: InvitationsDependencies): Endpoint {
  return endpoint({
    operationId: 'createInvitation',
    method: 'post',
    path: '/projects/{projectId}/invitations',
    summary: 'Invite an operator to a project',
    description:
      'Makes a link that works once, for seven days, and mails another one where the gateway sends mails: who opens that one has the address. An operator with this address, verified, can accept in the dashboard as well. A newer invitation of the same address replaces the older one. Sixty an hour by an operator, a hundred to a project and five of an address are allowed.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'admin',
    params: projectParams,
    body: createInvitationBody,
    requestExample: { email: 'grace@example.com', role: 'admin' },
    success: { status: 201, schema: newInvitationSchema, description: 'The only reply with the link' },
    errors: ['project_not_found', 'rate_limited'],
    async handler({ principal, params: { projectId }, body, commitReply }) {
      const wanted = { projectId, ...body };
      await invite.assertMayInvite(principal, wanted);
      let mail = () => {};
      const reply = await commitReply(db, async (trx) => {
        const invited = await invite.invite(trx, principal, wanted);
        mail = invited.mail;
        return { body: { ...toInvitationWire(invited.invitation), url: invited.url } };
      });
      mail();
      return reply;
    },
  });
}

function withdraw({ db, access, invitations, recordActivity }: InvitationsDependencies): Endpoint {
  return endpoint({
    operationId: 'deleteInvitation',
    method: 'delete',
    path: '/projects/{projectId}/invitations/{id}',
    summary: 'Withdraw an invitation',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'admin',
    params: invitationParams,
    success: { status: 204, description: 'Withdrawn, at once' },
    errors: ['not_found', 'project_not_found'],
    async handler({ principal, params: { projectId, id } }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      await db.transaction(async (trx) => {
        const removed = await invitations.remove(trx, projectId, id);
        if (removed === undefined) throw new HttpError('not_found');
        await recordActivity(trx, {
          projectId: removed.projectId,
          actor: principal,
          action: 'invitation.deleted',
          subjectId: removed.id,
          details: { email: removed.email, role: removed.role },
        });
      });
      return {};
    },
  });
}

function lookUp({ db, operators, invitations }: InvitationsDependencies): Endpoint {
  return endpoint({
    operationId: 'lookUpInvitation',
    method: 'post',
    path: '/invitations/lookup',
    summary: 'Read what an invitation is for',
    tag: 'Signing in',
    principals: [],
    body: lookUpInvitationBody,
    requestExample: { token: 'the fragment of the link' },
    bodyBytesMax: BODY_BYTES_MAX,
    success: { status: 200, schema: invitationFacts, description: 'The project, and whom it is for' },
    errors: ['link_invalid'],
    async handler({ body }) {
      const found = await invitations.findByTokenInAnyProject(db, body.token);
      if (found === undefined) throw new HttpError('link_invalid');
      const { projectId, email, role } = found.invitation;
      const account = await operators.findByEmail(db, email);
      const project = { id: projectId, name: found.projectName };
      const isTaken = found.isMailed && account?.isEmailVerified === false;
      const hasAccount = account !== undefined && !isTaken;
      return { body: { project, email, role, hasAccount } };
    },
  });
}
