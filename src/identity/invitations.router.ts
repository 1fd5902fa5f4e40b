import type { RecordActivity } from '../activity/record.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { PrincipalOf } from '../http/principal.ts';
import { decodeCursor, page } from '../lib/cursor.ts';
import { operatorMails } from '../operators/operator-mails.ts';
import type { OperatorsStore } from '../operators/operators.store.ts';
import type { Log } from '../platform/logger.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Db } from '../platform/postgres/database.ts';
import { withoutStoreLimit } from '../platform/postgres/store-time.ts';
import type { Access } from '../projects/access.ts';
import type { Invitation, InvitationsStore } from '../projects/invitations.store.ts';
import type { MembersStore } from '../projects/members.store.ts';
import { projectParams } from '../projects/projects.schema.ts';
import type { ProjectsStore } from '../projects/projects.store.ts';
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

export type InvitationsDependencies = {
  db: Db;
  publicUrl: string;
  access: Access;
  projects: ProjectsStore;
  members: MembersStore;
  invitations: InvitationsStore;
  operators: OperatorsStore;
  mailer: Mailer;
  recordActivity: RecordActivity;
  log: Pick<Log, 'warn'>;
};

const TAG = 'Projects';
const PENDING_MAX = 100;
const BODY_BYTES_MAX = 4 * 1024;

/** Inviting operators into a project. Admins invite admins and viewers; owners are invited by owners. */
export function createInvitationsEndpoints(deps: InvitationsDependencies): Endpoint[] {
  return [listInvitations(deps), invite(deps), withdraw(deps), lookUp(deps)];
}

function listInvitations({ access, invitations }: InvitationsDependencies): Endpoint {
  return endpoint({
    operationId: 'listInvitations',
    method: 'get',
    path: '/projects/{projectId}/invitations',
    summary: 'List the open invitations of a project',
    tag: TAG,
    principals: ['operator'],
    params: projectParams,
    query: invitationsQuery,
    success: { status: 200, schema: invitationList, description: 'Invitations that can still be accepted' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, query }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const beforeId = decodeCursor(query.cursor);
      const rows = await invitations.list({ projectId, beforeId, limit: query.limit + 1 });
      const { items, nextCursor } = page(rows, query.limit);
      return { body: { invitations: items.map(toInvitationWire), nextCursor } };
    },
  });
}

function invite(deps: InvitationsDependencies): Endpoint {
  const { db, access, projects, members, invitations } = deps;

  /** Throws `invalid_request` where the address is a member's, or too many invitations are open. */
  async function assertInvitable(trx: Db, projectId: string, email: string): Promise<void> {
    const operatorId = await members.findOperatorId(trx, email);
    const member = operatorId && (await members.find(trx, projectId, operatorId));
    if (member) throw refuse('body.email', 'A member already; change the role instead');
    if ((await invitations.count(trx, projectId)) >= PENDING_MAX) {
      throw refuse('body.email', `A project has at most ${PENDING_MAX} open invitations; withdraw some`);
    }
  }

  return endpoint({
    operationId: 'createInvitation',
    method: 'post',
    path: '/projects/{projectId}/invitations',
    summary: 'Invite somebody to a project',
    description:
      'Makes a link that works once, for seven days, and mails another one where the gateway sends mails: who opens that one has the address. A newer invitation of the same address replaces the older one.',
    tag: TAG,
    principals: ['operator'],
    params: projectParams,
    body: createInvitationBody,
    requestExample: { email: 'grace@example.com', role: 'admin' },
    success: { status: 201, schema: newInvitationSchema, description: 'The only reply with the link' },
    errors: ['project_not_found', 'insufficient_role'],
    async handler({ principal, params: { projectId }, body, commitReply }) {
      const mode = body.role === 'owner' ? 'owner' : 'write';
      await access.requireProjectAccess(principal, projectId, mode);
      let mail = () => {};
      const reply = await commitReply(db, async (trx) => {
        const project = await projects.lock(trx, projectId);
        if (project === undefined) throw new HttpError('project_not_found');
        await access.requireProjectAccess(principal, projectId, mode, trx);
        await assertInvitable(trx, projectId, body.email);
        const { invitation, token, mailToken } = await invitations.insert(trx, {
          ...body,
          projectId: project.id,
          createdBy: principal.operatorId,
        });
        await deps.recordActivity(trx, {
          projectId: project.id,
          actor: principal,
          action: 'invitation.created',
          subjectId: invitation.id,
          details: body,
        });
        const urlOf = (one: string) => `${deps.publicUrl}/invitation#${one}`;
        mail = () => mailInvitation(deps, principal, invitation, project.name, urlOf(mailToken));
        return { body: { ...toInvitationWire(invitation), url: urlOf(token) } };
      });
      mail();
      return reply;
    },
  });
}

/** In the background: the invitation says afterwards whether it was mailed. */
function mailInvitation(
  deps: InvitationsDependencies,
  by: PrincipalOf<['operator']>,
  invitation: Invitation,
  project: string,
  url: string,
): void {
  const { db, operators, mailer, invitations, log } = deps;
  if (!mailer.canMail) return;
  const work = async () => {
    const inviter = await operators.findProfile(db, by.operatorId);
    const name = inviter?.name ?? inviter?.email ?? 'An operator';
    const written = operatorMails(inviter?.language).invitation({ project, inviter: name, url });
    const isSent = await mailer.send('invitation', { to: invitation.email, ...written });
    if (isSent) await invitations.markMailed(invitation.id);
  };
  withoutStoreLimit(work).catch((error: unknown) => {
    log.warn({ err: error, invitationId: invitation.id }, 'an invitation could not be mailed');
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
    params: invitationParams,
    success: { status: 204, description: 'Withdrawn, at once' },
    errors: ['not_found', 'project_not_found', 'insufficient_role'],
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
      return { body: { project, email, role, hasAccount: account !== undefined } };
    },
  });
}

function refuse(path: string, message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path, message }] });
}
