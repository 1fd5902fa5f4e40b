import { z } from 'zod';
import type { RecordActivity } from '../../activity/record.ts';
import { maskToNetwork } from '../../http/client-address.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { rateLimitedError } from '../../http/rate-limits.ts';
import { assertNotCrossOrigin } from '../../http/same-origin.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import { createSharedLimits, type SharedLimits } from '../../platform/limits/shared-limits.ts';
import type { Log } from '../../platform/logger.ts';
import type { Mailer } from '../../platform/mailer.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import { operatorMails } from '../accounts/operator-mails.ts';
import { emailAddress, newPassword } from '../accounts/operators.schema.ts';
import type { OperatorsStore } from '../accounts/operators.store.ts';
import { findPasswordFault } from '../accounts/password.ts';
import type { PasswordWork } from '../accounts/password-work.ts';
import { requireProfile } from '../accounts/require-profile.ts';
import type { PersonalAccessTokensStore } from '../personal-access-tokens/personal-access-tokens.store.ts';
import type { BrowserSessions } from '../sessions/browser-sessions.ts';
import { otpText, sessionSchema } from '../sessions/sessions.schema.ts';
import type { SessionsStore } from '../sessions/sessions.store.ts';
import { type PasswordResetsStore, passwordResetUrl } from './password-resets.store.ts';
import type { VerifyAddress } from './verify-address.ts';

type PasswordResetsDependencies = {
  db: Db;
  publicUrl: string;
  operators: OperatorsStore;
  sessions: SessionsStore;
  passwordResets: PasswordResetsStore;
  personalAccessTokens: Pick<PersonalAccessTokensStore, 'revokeAll'>;
  verifyAddress: VerifyAddress;
  passwords: PasswordWork;
  browserSessions: BrowserSessions;
  checkSecondFactor(operatorId: string, otp: string | undefined): Promise<boolean>;
  mailer: Mailer;
  recordActivity: RecordActivity;
  log: Pick<Log, 'warn'>;
  /** Left out: this process is the only one. */
  sharedLimits?: Pick<SharedLimits, 'limiter'>;
};

const TAG = 'Signing in';
const BODY_BYTES_MAX = 4 * 1024;
const REQUESTS_PER_NETWORK_AND_HOUR = 20;
const MAILS_PER_ACCOUNT_AND_HOUR = 3;
const WAITING_PER_NETWORK_MAX = 5;
const WAITING_MAX = 200;

const requestBody = z.strictObject({ email: emailAddress });
const completeBody = z.strictObject({
  token: z.string().min(1).max(100).meta({ description: 'The fragment of the link.' }),
  password: newPassword,
  otp: otpText.optional(),
});

/** A forgotten password: a link by mail, and what the page behind it sends. */
export function createPasswordResetsEndpoints(deps: PasswordResetsDependencies): Endpoint[] {
  return [requestReset(deps), completeReset(deps)];
}

function requestReset(deps: PasswordResetsDependencies): Endpoint {
  const { sharedLimits = createSharedLimits({ peers: () => 1 }) } = deps;
  const hourly = { windowSeconds: 3_600, isKept: true };
  const networks = sharedLimits.limiter({
    ...{ ...hourly, name: 'links to a new password, of a network' },
    limit: REQUESTS_PER_NETWORK_AND_HOUR,
  });
  const accounts = sharedLimits.limiter({
    ...{ ...hourly, name: 'links to a new password, of an account' },
    limit: MAILS_PER_ACCOUNT_AND_HOUR,
  });
  const queue = createFairQueue({
    running: 1,
    waitingPerKeyMax: WAITING_PER_NETWORK_MAX,
    waitingMax: WAITING_MAX,
  });

  async function sendLink(email: string, sourceAddress: string | undefined): Promise<void> {
    const { db, operators, mailer } = deps;
    const account = await operators.findByEmail(db, email);
    if (account === undefined || !(await accounts.check(account.id)).allowed) return;
    const token = await db.transaction(async (trx) => {
      await deps.recordActivity(trx, {
        projectId: null,
        actor: { kind: 'operator', operatorId: account.id, sourceAddress },
        action: 'operator.password_reset_requested',
        subjectId: account.id,
        details: {},
      });
      return deps.passwordResets.insert(trx, account.id);
    });
    const url = passwordResetUrl(deps.publicUrl, token);
    const mail = { to: account.email, ...operatorMails(account.language).passwordReset({ url }) };
    void mailer.send('password reset', mail, account.id);
  }

  return endpoint({
    operationId: 'requestPasswordReset',
    method: 'post',
    path: '/password-resets',
    summary: 'Ask for a link to a new password',
    description:
      'The link is mailed where the gateway sends mails and an operator has this address. The answer is the same where not. It works once, for an hour.',
    tag: TAG,
    principals: [],
    body: requestBody,
    requestExample: { email: 'ada@example.com' },
    bodyBytesMax: BODY_BYTES_MAX,
    success: { status: 202, description: 'Taken; whether there is such an account is not said' },
    async handler({ body, request }) {
      const network = maskToNetwork(request.ip ?? 'unknown');
      const state = await networks.check(network);
      if (!state.allowed) throw rateLimitedError(state);
      if (!deps.mailer.canMail) return {};
      // Not awaited: the time of the answer must not tell whether there is an account.
      withoutStoreLimit(() => queue.run(network, () => sendLink(body.email, request.ip))).catch(
        (error: unknown) => deps.log.warn({ err: error }, 'a link to a new password could not be made'),
      );
      return {};
    },
  });
}

function completeReset(deps: PasswordResetsDependencies): Endpoint {
  const { db, operators, passwordResets, browserSessions } = deps;

  return endpoint({
    operationId: 'completePasswordReset',
    method: 'post',
    path: '/password-resets/complete',
    summary: 'Set a new password with a link',
    description:
      'Ends every session and personal access token of the operator and signs this browser in. An account with a second factor needs its code, too. Where the address was not verified, it is now, and whatever was made before ends, the second factor included.',
    tag: TAG,
    principals: [],
    body: completeBody,
    requestExample: { token: 'the fragment of the link', password: 'correct horse battery staple' },
    bodyBytesMax: BODY_BYTES_MAX,
    success: { status: 201, schema: sessionSchema, description: 'Signed in; the cookie comes with it' },
    errors: ['link_invalid', 'otp_required', 'otp_invalid', 'csrf_rejected', 'overloaded'],
    async handler({ body, request }) {
      assertNotCrossOrigin(request, deps.publicUrl);
      const operatorId = await passwordResets.find(db, body.token);
      if (operatorId === undefined) throw new HttpError('link_invalid');
      const profile = await requireProfile(operators, db, operatorId);
      const fault = findPasswordFault(body.password, profile);
      if (fault !== undefined) {
        throw new HttpError('invalid_request', { errors: [{ path: 'body.password', message: fault }] });
      }
      // The second factor of an unverified address may be that of the person who took it.
      const secondFactor = profile.emailVerified && (await deps.checkSecondFactor(operatorId, body.otp));
      const passwordHash = await deps.passwords.hash(maskToNetwork(request.ip ?? 'unknown'), body.password);
      const begun = await db.transaction(async (trx) => {
        if (!(await passwordResets.spend(trx, body.token))) throw new HttpError('link_invalid');
        const actor = { kind: 'operator', operatorId, sourceAddress: request.ip } as const;
        // The link came by mail, or from the administrator of the server.
        await deps.verifyAddress(trx, operatorId, { by: 'password_reset', actor, passwordHash });
        await operators.setPassword(trx, { id: operatorId }, passwordHash);
        await deps.sessions.removeAll(trx, operatorId);
        const endedTokens = await deps.personalAccessTokens.revokeAll(trx, operatorId);
        await deps.recordActivity(trx, {
          projectId: null,
          actor,
          action: 'operator.password_reset',
          subjectId: operatorId,
          details: { endedTokens },
        });
        return browserSessions.begin(trx, operatorId, request, { method: 'password_reset', secondFactor });
      });
      return { ...begun, headers: { Location: '../sessions' } };
    },
  });
}
