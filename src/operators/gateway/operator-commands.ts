import type { RecordActivity } from '../../activity/record.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { type Account, createOperatorsStore, type Operator } from '../accounts/operators.store.ts';
import { findPasswordFault, hashPassword } from '../accounts/password.ts';
import { createPasswordResetsStore, passwordResetUrl } from '../own-account/password-resets.store.ts';
import { createVerifyAddress, type VerifyAddressDependencies } from '../own-account/verify-address.ts';
import type { PersonalAccessTokensStore } from '../personal-access-tokens/personal-access-tokens.store.ts';
import { usualTokenEnd } from '../personal-access-tokens/token-lifetime.ts';
import { createOtpStore } from '../second-factor/otp.store.ts';
import { createSessionsStore } from '../sessions/sessions.store.ts';
import { createGatewayOwnersStore } from './gateway-owners.store.ts';

/** The command cannot be done; the message says why, and what to do instead. */
export class OperatorCommandError extends Error {
  override readonly name = 'OperatorCommandError';
}

type OperatorCommandsDependencies = {
  db: Db;
  personalAccessTokens: Pick<PersonalAccessTokensStore, 'insert' | 'revokeAll' | 'countLive'>;
  endInvitations: VerifyAddressDependencies['endInvitations'];
  /** False where the operator is a member already. Answers undefined where there is no such project. */
  addOwner(trx: Db, projectId: string, operatorId: string): Promise<boolean | undefined>;
  listProjects(): Promise<{ id: string; name: string; owners: string[] }[]>;
  recordActivity: RecordActivity;
  /** How many days a personal access token may live at most. */
  daysMax: number;
  /** Who uses the command, for the audit log: the name of the system user. */
  systemUser: string;
  publicUrl: string;
};

/**
 * Operator management by an administrator of the server, so that no operator is locked out for good. Each use is in the
 * audit log.
 */
export function createOperatorCommands(deps: OperatorCommandsDependencies) {
  const { db, systemUser } = deps;
  const operators = createOperatorsStore();
  const sessions = createSessionsStore({ db });
  const passwordResets = createPasswordResetsStore();
  const otps = createOtpStore();
  const gatewayOwners = createGatewayOwnersStore();
  const verifyAddress = createVerifyAddress(deps);
  const actor = { kind: 'gateway' } as const;

  function tokenEnd(days: number | undefined): Date {
    const { daysMax } = deps;
    if (days === undefined) return usualTokenEnd(Date.now(), daysMax);
    if (days <= daysMax) return new Date(Date.now() + days * 24 * 60 * 60_000);
    throw new OperatorCommandError(
      `A token lives ${daysMax} days at most; the setting PERSONAL_ACCESS_TOKEN_DAYS_MAX allows more.`,
    );
  }

  async function requireOperator(email: string): Promise<Account> {
    const operator = await operators.findByEmail(db, email);
    if (operator) return operator;
    throw new OperatorCommandError(
      `No operator has the e-mail address ${email}. \`list\` shows who there is, \`create\` adds one.`,
    );
  }

  async function addToProject(trx: Db, projectId: string, { id, email }: Operator): Promise<void> {
    const isAdded = await deps.addOwner(trx, projectId, id);
    if (isAdded === undefined) {
      throw new OperatorCommandError(`There is no project ${projectId}. \`list\` shows which there are.`);
    }
    await deps.recordActivity(trx, {
      projectId,
      actor,
      action: isAdded ? 'member.added' : 'member.role_changed',
      subjectId: id,
      details: { email, role: 'owner' },
    });
  }

  async function removeOtp(trx: Db, operatorId: string): Promise<boolean> {
    if (!(await otps.remove(trx, operatorId))) return false;
    await deps.recordActivity(trx, {
      projectId: null,
      actor,
      action: 'operator.otp_disabled',
      subjectId: operatorId,
      details: { systemUser },
    });
    return true;
  }

  return {
    /** Makes an operator, and an owner of the project where one is named. */
    async create(input: {
      email: string;
      password: string;
      projectId?: string | undefined;
    }): Promise<Operator> {
      const { email, projectId } = input;
      if (await operators.findByEmail(db, email)) {
        throw new OperatorCommandError(
          `${email} is an operator already. \`token\` prints new credentials, \`reset-password\` sets a new password, \`own\` adds a project.`,
        );
      }
      assertGoodPassword(input.password, { email });
      const passwordHash = await hashPassword(input.password);
      return db.transaction(async (trx) => {
        const operator = await operators.insert(trx, { email, passwordHash, isEmailVerified: true });
        await deps.recordActivity(trx, {
          projectId: null,
          actor,
          action: 'operator.created',
          subjectId: operator.id,
          details: { email, systemUser },
        });
        // A gateway that is set up by the command has no other.
        if ((await gatewayOwners.lockAll(trx)).length === 0) await gatewayOwners.add(trx, operator.id);
        if (projectId !== undefined) await addToProject(trx, projectId, operator);
        return operator;
      });
    },

    /** Makes an operator who is there an owner of a project. */
    async own(email: string, projectId: string): Promise<Operator> {
      const operator = await requireOperator(email);
      await db.transaction((trx) => addToProject(trx, projectId, operator));
      return operator;
    },

    /** Makes an operator an owner of the gateway itself. False where they are one. */
    async ownGateway(email: string): Promise<boolean> {
      const operator = await requireOperator(email);
      return db.transaction(async (trx) => {
        if (!(await gatewayOwners.add(trx, operator.id))) return false;
        await deps.recordActivity(trx, {
          projectId: null,
          actor,
          action: 'gateway_owner.added',
          subjectId: operator.id,
          details: { email: operator.email, systemUser },
        });
        return true;
      });
    },

    /** Ends sessions and tokens; the second factor too where that is asked for or the address was not verified. */
    async resetPassword(
      email: string,
      password: string,
      { disableOtp = false }: { disableOtp?: boolean } = {},
    ): Promise<{ email: string; endedTokens: number; otpEnabled: boolean }> {
      const operator = await requireOperator(email);
      assertGoodPassword(password, operator);
      const passwordHash = await hashPassword(password);
      return db.transaction(async (trx) => {
        const before = await deps.personalAccessTokens.countLive(trx, operator.id);
        await verifyAddress(trx, operator.id, { by: 'operator_command', actor, passwordHash });
        await operators.setPassword(trx, operator, passwordHash);
        await sessions.removeAll(trx, operator.id);
        await deps.personalAccessTokens.revokeAll(trx, operator.id);
        const endedTokens = before;
        if (disableOtp) await removeOtp(trx, operator.id);
        const otpEnabled = (await otps.find(trx, operator.id))?.isConfirmed ?? false;
        await deps.recordActivity(trx, {
          projectId: null,
          actor,
          action: 'operator.password_reset',
          subjectId: operator.id,
          details: { systemUser, endedTokens },
        });
        return { email: operator.email, endedTokens, otpEnabled };
      });
    },

    /** A link to a new password, which works once, for an hour; what comes back is the only place with it. */
    async issueResetLink(email: string): Promise<string> {
      const operator = await requireOperator(email);
      return db.transaction(async (trx) => {
        const token = await passwordResets.insert(trx, operator.id);
        await deps.recordActivity(trx, {
          projectId: null,
          actor,
          action: 'operator.password_reset_requested',
          subjectId: operator.id,
          details: { systemUser },
        });
        return passwordResetUrl(deps.publicUrl, token);
      });
    },

    /** For an operator who has lost the authenticator app and the recovery codes. False where there was none. */
    async disableOtp(email: string): Promise<boolean> {
      const operator = await requireOperator(email);
      return db.transaction((trx) => removeOtp(trx, operator.id));
    },

    /** A new personal access token; what comes back is the only place where it can be read. */
    async issueToken(email: string, days?: number): Promise<string> {
      const operator = await requireOperator(email);
      if (!operator.isEmailVerified) {
        throw new OperatorCommandError(
          `It is not known that ${email} is this operator's address. \`reset-password ${email}\` makes a link by which it becomes so; a token can be made then.`,
        );
      }
      return db.transaction(async (trx) => {
        const { personalAccessToken, token } = await deps.personalAccessTokens.insert(trx, {
          operatorId: operator.id,
          name: 'Operator command',
          expiresAt: tokenEnd(days),
        });
        await deps.recordActivity(trx, {
          projectId: null,
          actor,
          action: 'operator.token_issued',
          subjectId: operator.id,
          details: { systemUser, personalAccessTokenId: personalAccessToken.id },
        });
        return token;
      });
    },

    async list() {
      await deps.recordActivity(db, {
        projectId: null,
        actor,
        action: 'operator.listed',
        subjectId: null,
        details: { systemUser },
      });
      return { operators: await operators.list(db), projects: await deps.listProjects() };
    },
  };
}

function assertGoodPassword(password: string, account: { email: string; name?: string | null }): void {
  const fault = findPasswordFault(password, account);
  if (fault !== undefined) throw new OperatorCommandError(`This password cannot be used. ${fault}.`);
}

export type OperatorCommands = ReturnType<typeof createOperatorCommands>;
