import type { RecordActivity } from '../../activity/record.ts';
import { HttpError } from '../../http/errors.ts';
import type { PrincipalOf } from '../../http/principal.ts';
import { operatorMails } from '../../operators/accounts/operator-mails.ts';
import type { OperatorsStore } from '../../operators/accounts/operators.store.ts';
import type { SharedLimits } from '../../platform/limits/shared-limits.ts';
import type { Log } from '../../platform/logger.ts';
import type { Mailer } from '../../platform/mailer.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import type { Role } from '../../projects/access.store.ts';
import type { Access, AccessMode } from '../../projects/access.ts';
import type { Invitation, InvitationsStore } from '../../projects/invitations.store.ts';
import type { MembersStore } from '../../projects/members.store.ts';
import type { ProjectsStore } from '../../projects/projects.store.ts';
import { createInvitationLimits } from './invitation-limits.ts';

type InviteDependencies = {
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
  /** Left out: this process is the only one. */
  sharedLimits?: Pick<SharedLimits, 'limiter'>;
};

type Operator = PrincipalOf<['operator']>;
export type Wanted = { readonly projectId: string; readonly email: string; readonly role: Role };

export type Invited = {
  readonly invitation: Invitation;
  /** The link for the inviter to pass on. */
  readonly url: string;
  /** Mails the other link in the background; to be called once the transaction is committed. */
  mail(): void;
};

export type Invite = ReturnType<typeof createInvite>;

const PENDING_MAX = 100;

/** Inviting an address into a project, by whichever operation. */
export function createInvite(deps: InviteDependencies) {
  const { access, projects, members, invitations } = deps;
  const limits = createInvitationLimits(deps);

  /** Throws `invalid_request` where the address is a member's, or too many invitations are open. */
  async function assertInvitable(trx: Db, { projectId, email }: Wanted): Promise<void> {
    const operatorId = await members.findOperatorId(trx, email);
    const member = operatorId && (await members.find(trx, projectId, operatorId));
    if (member) throw refuse('A member already; change the role instead');
    if ((await invitations.count(trx, projectId)) >= PENDING_MAX) {
      throw refuse(`A project has at most ${PENDING_MAX} open invitations; withdraw some`);
    }
  }

  return {
    /** Throws what `requireProjectAccess` throws where the operator may not give this role, or `rate_limited`. */
    async assertMayInvite(principal: Operator, wanted: Wanted): Promise<void> {
      await access.requireProjectAccess(principal, wanted.projectId, modeToGive(wanted.role));
      await limits.assertLeft(principal, wanted);
    },

    /** Throws `project_not_found`, `insufficient_role`, `invalid_request` or `rate_limited`. An earlier invitation of the address ends. */
    async invite(trx: Db, principal: Operator, wanted: Wanted): Promise<Invited> {
      const project = await projects.lock(trx, wanted.projectId);
      if (project === undefined) throw new HttpError('project_not_found');
      await access.requireProjectAccess(principal, project.id, modeToGive(wanted.role), trx);
      await assertInvitable(trx, wanted);
      await limits.spend(principal, { ...wanted, projectId: project.id });
      const { email, role } = wanted;
      const createdBy = principal.operatorId;
      const made = await invitations.insert(trx, { projectId: project.id, email, role, createdBy });
      await deps.recordActivity(trx, {
        projectId: project.id,
        actor: principal,
        action: 'invitation.created',
        subjectId: made.invitation.id,
        details: { email, role },
      });
      const urlOf = (token: string) => `${deps.publicUrl}/invitation#${token}`;
      return {
        invitation: made.invitation,
        url: urlOf(made.token),
        mail: () => mailInvitation(deps, principal, made.invitation, project.name, urlOf(made.mailToken)),
      };
    },
  };
}

function modeToGive(role: Role): AccessMode {
  return role === 'owner' ? 'owner' : 'write';
}

/** In the background: the invitation says afterwards whether it was mailed. */
function mailInvitation(
  deps: InviteDependencies,
  by: Operator,
  invitation: Invitation,
  project: string,
  url: string,
): void {
  const { db, operators, mailer, invitations, log } = deps;
  if (!mailer.canMail) return;
  const work = async () => {
    const inviter = await operators.findProfile(db, by.operatorId);
    const invited = await operators.findByEmail(db, invitation.email);
    const language = invited?.language ?? inviter?.language;
    const written = operatorMails(language).invitation({
      project,
      inviter: inviter?.email ?? 'An operator',
      url,
    });
    const mail = { to: invitation.email, ...written };
    const isSent = await mailer.send('invitation', mail, by.operatorId);
    if (isSent) await invitations.markMailed(invitation.id);
  };
  withoutStoreLimit(work).catch((error: unknown) => {
    log.warn({ err: error, invitationId: invitation.id }, 'an invitation could not be mailed');
  });
}

function refuse(message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path: 'body.email', message }] });
}
