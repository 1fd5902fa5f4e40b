import type { RecordActivity } from '../../activity/record.ts';
import { maskToNetwork } from '../../http/client-address.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { assertNotCrossOrigin, assertSameOrigin } from '../../http/same-origin.ts';
import { sha256 } from '../../lib/opaque-tokens.ts';
import type { Account, OperatorsStore } from '../../operators/accounts/operators.store.ts';
import { findPasswordFault, PASSWORD_LENGTH_MIN } from '../../operators/accounts/password.ts';
import type { PasswordWork } from '../../operators/accounts/password-work.ts';
import type { VerifyAddress } from '../../operators/own-account/verify-address.ts';
import type { BrowserRequest, BrowserSessions } from '../../operators/sessions/browser-sessions.ts';
import { readSessionCookie } from '../../operators/sessions/session-cookie.ts';
import { sessionSchema } from '../../operators/sessions/sessions.schema.ts';
import type { ProvedAt, SessionsStore } from '../../operators/sessions/sessions.store.ts';
import type { SignIn } from '../../operators/sessions/sign-in.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { FoundInvitation, Invitation, InvitationsStore } from '../../projects/invitations.store.ts';
import type { MembersStore } from '../../projects/members.store.ts';
import type { ProjectsStore } from '../../projects/projects.store.ts';
import { type AcceptInvitationInput, acceptInvitationBody } from './invitations.schema.ts';
import { joinProject } from './join-project.ts';

type AcceptInvitationDependencies = {
  db: Db;
  publicUrl: string;
  projects: ProjectsStore;
  members: MembersStore;
  invitations: InvitationsStore;
  operators: OperatorsStore;
  sessions: SessionsStore;
  passwords: PasswordWork;
  browserSessions: BrowserSessions;
  signIn: SignIn;
  verifyAddress: VerifyAddress;
  recordActivity: RecordActivity;
};

/**
 * Whose membership it becomes. `settle` runs in the transaction that uses the invitation up. `provedAt` says when that
 * operator proved to be there.
 */
type Invited = {
  readonly secondFactor: boolean;
  readonly provedAt: ProvedAt;
  settle(trx: Db): Promise<string>;
};

const BODY_BYTES_MAX = 4 * 1024;

/** Accepting an invitation: by a new account, or by the one that has the address already. */
export function createAcceptInvitationEndpoints(deps: AcceptInvitationDependencies): Endpoint[] {
  const { db, publicUrl, invitations, operators } = deps;
  const proveAccount = createProveAccount(deps);

  async function hashNew(
    request: BrowserRequest,
    password: string | undefined,
    account: { email: string; name?: string | undefined },
  ): Promise<string> {
    const fault = faultOf(password, account);
    if (fault !== undefined || password === undefined) throw refuse(fault ?? 'required for a new account');
    return deps.passwords.hash(maskToNetwork(request.ip ?? 'unknown'), password);
  }

  async function prepareAccount(
    request: BrowserRequest,
    { email }: Invitation,
    isMailed: boolean,
    { name, password }: AcceptInvitationInput,
  ): Promise<Invited> {
    const passwordHash = await hashNew(request, password, { email, name });
    return {
      secondFactor: false,
      provedAt: 'now',
      async settle(trx) {
        if (await operators.findByEmail(trx, email)) throw new HttpError('sign_in_refused');
        const operator = await operators.insert(trx, {
          email,
          passwordHash,
          name,
          isEmailVerified: isMailed,
        });
        // Another invitation of the same address, into another project, is being accepted.
        if (operator === undefined) throw new HttpError('sign_in_refused');
        await deps.recordActivity(trx, {
          projectId: null,
          actor: { kind: 'operator', operatorId: operator.id, sourceAddress: request.ip },
          action: 'operator.created',
          subjectId: operator.id,
          details: { email },
        });
        return operator.id;
      },
    };
  }

  /** The link of a mail proves the mailbox: the account of an unverified address is its reader's from now on. */
  async function takeAccount(
    request: BrowserRequest,
    account: Account,
    { name, password }: AcceptInvitationInput,
  ): Promise<Invited> {
    const passwordHash = await hashNew(request, password, { email: account.email, name });
    return {
      secondFactor: false,
      provedAt: 'now',
      async settle(trx) {
        const actor = { kind: 'operator', operatorId: account.id, sourceAddress: request.ip } as const;
        const proof = { by: 'invitation', actor, passwordHash } as const;
        if (!(await deps.verifyAddress(trx, account.id, proof))) throw new HttpError('sign_in_refused');
        await operators.update(trx, account.id, { name });
        return account.id;
      },
    };
  }

  async function prepare(
    request: BrowserRequest,
    { invitation, isMailed }: FoundInvitation,
    account: Account | undefined,
    body: AcceptInvitationInput,
  ): Promise<Invited> {
    if (account === undefined) return prepareAccount(request, invitation, isMailed, body);
    if (isMailed && !account.isEmailVerified) return takeAccount(request, account, body);
    return proveAccount(request, account, body);
  }

  const accept = endpoint({
    operationId: 'acceptInvitation',
    method: 'post',
    path: '/invitations/accept',
    summary: 'Accept an invitation',
    description:
      'Without an account of its address it makes one, with the given password. With one, the browser must be signed in to it, or its password (and code) be given. The link of a mail proves the address: an account that had not proved it gets the given password, and whatever was made in it before ends. Signs this browser in.',
    tag: 'Signing in',
    principals: [],
    body: acceptInvitationBody,
    requestExample: {
      token: 'the fragment of the link',
      name: 'Grace Hopper',
      password: 'correct horse battery staple',
    },
    bodyBytesMax: BODY_BYTES_MAX,
    success: { status: 201, schema: sessionSchema, description: 'A member now, and signed in' },
    errors: ['link_invalid', 'sign_in_refused', 'otp_required', 'otp_invalid', 'csrf_rejected', 'overloaded'],
    async handler({ body, request }) {
      assertNotCrossOrigin(request, publicUrl);
      const found = await invitations.findByTokenInAnyProject(db, body.token);
      if (found === undefined) throw new HttpError('link_invalid');
      const account = await operators.findByEmail(db, found.invitation.email);
      const invited = await prepare(request, found, account, body);
      const begun = await db.transaction(async (trx) => {
        await spend(deps, trx, found.invitation, body.token);
        const operatorId = await invited.settle(trx);
        await joinProject(deps, trx, found.invitation, { operatorId, sourceAddress: request.ip });
        const details = { method: 'invitation', secondFactor: invited.secondFactor } as const;
        return deps.browserSessions.begin(trx, operatorId, request, details, invited.provedAt);
      });
      return { ...begun, headers: { Location: '../sessions' } };
    },
  });

  return [accept];
}

/** An account that is there: by the session of the browser, or by its password and code. */
function createProveAccount({ db, publicUrl, sessions, signIn }: AcceptInvitationDependencies) {
  /** The id of the account's session in this browser; undefined where there is none. */
  async function findOwnSession(request: BrowserRequest, account: Account): Promise<string | undefined> {
    const cookie = readSessionCookie(request, publicUrl);
    const session = cookie ? await sessions.findSession(sha256(cookie)) : undefined;
    if (session === undefined || session.isExpired || session.operatorId !== account.id) return undefined;
    assertSameOrigin(request, publicUrl);
    return session.sessionId;
  }

  return async (
    request: BrowserRequest,
    account: Account,
    { password, otp }: AcceptInvitationInput,
  ): Promise<Invited> => {
    const sessionId = await findOwnSession(request, account);
    if (sessionId !== undefined) {
      const provedAt = await sessions.findProvedAt(db, account.id, sessionId);
      return { secondFactor: false, provedAt, settle: async () => account.id };
    }
    if (password === undefined) {
      throw new HttpError('sign_in_refused', {
        detail:
          'The invitation is for an operator who has an account. Sign in to it first, or give its password.',
      });
    }
    const proof = await signIn.prove(request, { email: account.email, password, otp });
    return {
      secondFactor: proof.secondFactor,
      provedAt: 'now',
      async settle(trx) {
        await signIn.assertUnchanged(trx, proof);
        return account.id;
      },
    };
  };
}

/** Uses the invitation up. Of two browsers that send the same link, one gets `link_invalid`. */
async function spend(
  { projects, invitations }: AcceptInvitationDependencies,
  trx: Db,
  { id, projectId }: Invitation,
  token: string,
): Promise<void> {
  const isThere = await projects.lock(trx, projectId);
  const current = isThere && (await invitations.findByTokenInAnyProject(trx, token));
  if (!current || !(await invitations.remove(trx, projectId, id))) throw new HttpError('link_invalid');
}

function faultOf(
  password: string | undefined,
  account: { email: string; name?: string | undefined },
): string | undefined {
  if (password === undefined) return undefined;
  if (password.length < PASSWORD_LENGTH_MIN) return `At least ${PASSWORD_LENGTH_MIN} characters`;
  return findPasswordFault(password, account);
}

function refuse(message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path: 'body.password', message }] });
}
