import type { Change, DistributiveOmit } from '../../activity/actions.ts';
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
  /** False where the project is so already. Answers undefined where there is no such project. */
  setFrozen(trx: Db, projectId: string, isFrozen: boolean): Promise<boolean | undefined>;
  listProjects(): Promise<{ id: string; name: string; owners: string[] }[]>;
  recordActivity: RecordActivity;
  /** How many days a personal access token may live at most. */
  daysMax: number;
  /** Who uses the command, for the audit log: the name of the system user. */
  systemUser: string;
  publicUrl: string;
};

/** What every command works with. */
type CommandContext = OperatorCommandsDependencies & {
  readonly operators: ReturnType<typeof createOperatorsStore>;
  readonly sessions: ReturnType<typeof createSessionsStore>;
  readonly passwordResets: ReturnType<typeof createPasswordResetsStore>;
  readonly otps: ReturnType<typeof createOtpStore>;
  readonly gatewayOwners: ReturnType<typeof createGatewayOwnersStore>;
  readonly verifyAddress: ReturnType<typeof createVerifyAddress>;
};

const ACTOR = { kind: 'gateway' } as const;

export type OperatorCommands = ReturnType<typeof createOperatorCommands>;

/**
 * Operator management by an administrator of the server, so that no operator is locked out for good. Each use is in the
 * audit log.
 */
export function createOperatorCommands(deps: OperatorCommandsDependencies) {
  const context: CommandContext = {
    ...deps,
    operators: createOperatorsStore(),
    sessions: createSessionsStore({ db: deps.db }),
    passwordResets: createPasswordResetsStore(),
    otps: createOtpStore(),
    gatewayOwners: createGatewayOwnersStore(),
    verifyAddress: createVerifyAddress(deps),
  };
  return {
    create: (input: NewOperatorInput) => createOperator(context, input),
    own: (email: string, projectId: string) => ownProject(context, email, projectId),
    ownGateway: (email: string) => ownGateway(context, email),
    resetPassword: (email: string, password: string, options?: ResetOptions) =>
      resetPassword(context, email, password, options),
    issueResetLink: (email: string) => issueResetLink(context, email),
    disableOtp: (email: string) => disableOtp(context, email),
    issueToken: (email: string, days?: number) => issueToken(context, email, days),
    setFrozen: (projectId: string, isFrozen: boolean) => setFrozen(context, projectId, isFrozen),
    list: () => listAll(context),
    listProjectIds: async () => (await context.listProjects()).map(({ id }) => id),
  };
}

type CommandUse = DistributiveOmit<Extract<Change, { projectId: null }>, 'projectId' | 'actor'>;

type NewOperatorInput = {
  readonly email: string;
  readonly password: string;
  readonly projectId?: string | undefined;
};
type ResetOptions = { readonly disableOtp?: boolean };

/** Makes an operator, and an owner of the project where one is named. */
async function createOperator(context: CommandContext, input: NewOperatorInput): Promise<Operator> {
  const { db, operators, gatewayOwners } = context;
  const { email, projectId } = input;
  if (await operators.findByEmail(db, email)) throw takenError(email);
  assertGoodPassword(input.password, { email });
  const passwordHash = await hashPassword(input.password);
  return db.transaction(async (trx) => {
    const operator = await operators.insert(trx, { email, passwordHash, isEmailVerified: true });
    if (operator === undefined) throw takenError(email);
    await recordUse(context, trx, {
      action: 'operator.created',
      subjectId: operator.id,
      details: { email, systemUser: context.systemUser },
    });
    // A gateway that is set up by the command has no other.
    if ((await gatewayOwners.lockAll(trx)).length === 0) await gatewayOwners.add(trx, operator.id);
    if (projectId !== undefined) await addToProject(context, trx, projectId, operator);
    return operator;
  });
}

function takenError(email: string): OperatorCommandError {
  return new OperatorCommandError(
    `${email} is an operator already. \`token\` prints new credentials, \`reset-password\` sets a new password, \`own\` adds a project.`,
  );
}

/** Makes an operator who is there an owner of a project. */
async function ownProject(context: CommandContext, email: string, projectId: string): Promise<Operator> {
  const operator = await requireOperator(context, email);
  await context.db.transaction((trx) => addToProject(context, trx, projectId, operator));
  return operator;
}

async function addToProject(
  { addOwner, recordActivity }: CommandContext,
  trx: Db,
  projectId: string,
  { id, email }: Operator,
): Promise<void> {
  const isAdded = await addOwner(trx, projectId, id);
  if (isAdded === undefined) {
    throw new OperatorCommandError(`There is no project ${projectId}. \`list\` shows which there are.`);
  }
  await recordActivity(trx, {
    projectId,
    actor: ACTOR,
    action: isAdded ? 'member.added' : 'member.role_changed',
    subjectId: id,
    details: { email, role: 'owner' },
  });
}

/** Freezes a project or lets it go on, on running gateways within a second. False where it is so already. */
async function setFrozen(context: CommandContext, projectId: string, isFrozen: boolean): Promise<boolean> {
  return context.db.transaction(async (trx) => {
    const isChanged = await context.setFrozen(trx, projectId, isFrozen);
    if (isChanged === undefined)
      throw new OperatorCommandError(`There is no project ${projectId}. \`list\` shows which there are.`);
    if (!isChanged) return false;
    const about = { projectId, actor: ACTOR, subjectId: projectId };
    const reason = `by ${context.systemUser} on the server`;
    await context.recordActivity(
      trx,
      isFrozen
        ? { ...about, action: 'project.frozen', details: { reason } }
        : { ...about, action: 'project.unfrozen', details: {} },
    );
    return true;
  });
}

/** Makes an operator an owner of the gateway itself. False where they are one. */
async function ownGateway(context: CommandContext, email: string): Promise<boolean> {
  const { db, gatewayOwners } = context;
  const operator = await requireOperator(context, email);
  return db.transaction(async (trx) => {
    if (!(await gatewayOwners.add(trx, operator.id))) return false;
    await recordUse(context, trx, {
      action: 'gateway_owner.added',
      subjectId: operator.id,
      details: { email: operator.email, systemUser: context.systemUser },
    });
    return true;
  });
}

/** Ends sessions and tokens; the second factor too where that is asked for or the address was not verified. */
async function resetPassword(
  context: CommandContext,
  email: string,
  password: string,
  { disableOtp = false }: ResetOptions = {},
): Promise<{ email: string; endedTokens: number; otpEnabled: boolean }> {
  const { db, operators, sessions, personalAccessTokens, otps } = context;
  const operator = await requireOperator(context, email);
  assertGoodPassword(password, operator);
  const passwordHash = await hashPassword(password);
  return db.transaction(async (trx) => {
    const endedTokens = await personalAccessTokens.countLive(trx, operator.id);
    await context.verifyAddress(trx, operator.id, { by: 'operator_command', actor: ACTOR, passwordHash });
    await operators.setPassword(trx, operator, passwordHash);
    await sessions.removeAll(trx, operator.id);
    await personalAccessTokens.revokeAll(trx, operator.id);
    if (disableOtp) await removeOtp(context, trx, operator.id);
    const otpEnabled = (await otps.find(trx, operator.id))?.isConfirmed ?? false;
    await recordUse(context, trx, {
      action: 'operator.password_reset',
      subjectId: operator.id,
      details: { endedTokens, systemUser: context.systemUser },
    });
    return { email: operator.email, endedTokens, otpEnabled };
  });
}

/** A link to a new password, which works once, for an hour; what comes back is the only place with it. */
async function issueResetLink(context: CommandContext, email: string): Promise<string> {
  const { db, passwordResets, publicUrl } = context;
  const operator = await requireOperator(context, email);
  return db.transaction(async (trx) => {
    const token = await passwordResets.insert(trx, operator.id);
    await recordUse(context, trx, {
      action: 'operator.password_reset_requested',
      subjectId: operator.id,
      details: { systemUser: context.systemUser },
    });
    return passwordResetUrl(publicUrl, token);
  });
}

/** For an operator who has lost the authenticator app and the recovery codes. False where there was none. */
async function disableOtp(context: CommandContext, email: string): Promise<boolean> {
  const operator = await requireOperator(context, email);
  return context.db.transaction((trx) => removeOtp(context, trx, operator.id));
}

async function removeOtp(context: CommandContext, trx: Db, operatorId: string): Promise<boolean> {
  if (!(await context.otps.remove(trx, operatorId))) return false;
  await recordUse(context, trx, {
    action: 'operator.otp_disabled',
    subjectId: operatorId,
    details: { systemUser: context.systemUser },
  });
  return true;
}

/** A new personal access token; what comes back is the only place where it can be read. */
async function issueToken(context: CommandContext, email: string, days: number | undefined): Promise<string> {
  const operator = await requireOperator(context, email);
  if (!operator.isEmailVerified) {
    throw new OperatorCommandError(
      `It is not known that ${email} is this operator's address. \`reset-password ${email}\` makes a link by which it becomes so; a token can be made then.`,
    );
  }
  return context.db.transaction(async (trx) => {
    const { personalAccessToken, token } = await context.personalAccessTokens.insert(trx, {
      operatorId: operator.id,
      name: 'Operator command',
      expiresAt: tokenEnd(context.daysMax, days),
    });
    await recordUse(context, trx, {
      action: 'operator.token_issued',
      subjectId: operator.id,
      details: { personalAccessTokenId: personalAccessToken.id, systemUser: context.systemUser },
    });
    return token;
  });
}

async function listAll(context: CommandContext) {
  const { db, operators, listProjects } = context;
  await recordUse(context, db, {
    action: 'operator.listed',
    subjectId: null,
    details: { systemUser: context.systemUser },
  });
  return { operators: await operators.list(db), projects: await listProjects() };
}

/** Notes one use of a command, with the system user, in the audit log. */
async function recordUse({ recordActivity }: CommandContext, trx: Db, use: CommandUse): Promise<void> {
  await recordActivity(trx, { projectId: null, actor: ACTOR, ...use });
}

async function requireOperator({ db, operators }: CommandContext, email: string): Promise<Account> {
  const operator = await operators.findByEmail(db, email);
  if (operator) return operator;
  throw new OperatorCommandError(
    `No operator has the e-mail address ${email}. \`list\` shows who there is, \`create\` adds one.`,
  );
}

function tokenEnd(daysMax: number, days: number | undefined): Date {
  if (days === undefined) return usualTokenEnd(Date.now(), daysMax);
  if (days <= daysMax) return new Date(Date.now() + days * 24 * 60 * 60_000);
  throw new OperatorCommandError(
    `A token lives ${daysMax} days at most; the setting PERSONAL_ACCESS_TOKEN_DAYS_MAX allows more.`,
  );
}

function assertGoodPassword(password: string, account: { email: string; name?: string | null }): void {
  const fault = findPasswordFault(password, account);
  if (fault !== undefined) throw new OperatorCommandError(`This password cannot be used. ${fault}.`);
}
