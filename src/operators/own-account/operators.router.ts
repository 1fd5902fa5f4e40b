import type { RecordActivity } from '../../activity/record.ts';
import { maskToNetwork } from '../../http/client-address.ts';
import { assertIfMatch, formatEtagOfState } from '../../http/conditional.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { PrincipalOf } from '../../http/principal.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { operatorSchema, toOperatorWire, updateOperatorBody } from '../accounts/operators.schema.ts';
import type { OperatorsStore, Profile } from '../accounts/operators.store.ts';
import { findPasswordFault } from '../accounts/password.ts';
import type { PasswordWork } from '../accounts/password-work.ts';
import { requireProfile } from '../accounts/require-profile.ts';
import type { PersonalAccessTokensStore } from '../personal-access-tokens/personal-access-tokens.store.ts';
import type { BrowserRequest, BrowserSessions } from '../sessions/browser-sessions.ts';
import type { ProvePresence } from '../sessions/prove-presence.ts';
import type { SignIn } from '../sessions/sign-in.ts';

type OperatorsDependencies = {
  db: Db;
  operators: OperatorsStore;
  browserSessions: BrowserSessions;
  signIn: SignIn;
  presence: ProvePresence;
  passwords: PasswordWork;
  personalAccessTokens: Pick<PersonalAccessTokensStore, 'revokeAll'>;
  recordActivity: RecordActivity;
};

type Operator = PrincipalOf<['operator']>;
type Change = {
  readonly password?: string | undefined;
  readonly currentPassword?: string | undefined;
  readonly endTokens?: boolean | undefined;
};

const TAG = 'Signing in';

/** What operators see and change of themselves. */
export function createOperatorsEndpoints(deps: OperatorsDependencies): Endpoint[] {
  const { db, operators } = deps;
  const preparePassword = createPreparePassword(deps);

  const read = endpoint({
    operationId: 'getOwnOperator',
    method: 'get',
    path: '/operators/me',
    summary: 'Read who you are',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    success: { status: 200, schema: operatorSchema, description: 'You' },
    handler: async ({ principal }) => replyWith(await requireProfile(operators, db, principal.operatorId)),
  });

  const update = endpoint({
    operationId: 'updateOwnOperator',
    method: 'patch',
    path: '/operators/me',
    summary: 'Change your name, language or password',
    description:
      'A new password ends all your sessions except this one, which gets a new cookie. Personal access tokens end too where `endTokens` is true, and stay otherwise. A first password takes a sign-in of the last ten minutes.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    body: updateOperatorBody,
    requestExample: { name: 'Ada Lovelace', language: 'en' },
    success: { status: 200, schema: operatorSchema, description: 'You, as changed' },
    errors: ['csrf_rejected', 'sign_in_too_old', 'overloaded', 'precondition_failed'],
    async handler({ principal, body, request }) {
      const { operatorId } = principal;
      const replacement = await preparePassword(principal, request, body);
      return db.transaction(async (trx) => {
        const current = await operators.lock(trx, operatorId);
        if (current !== undefined) assertIfMatch(request, etagOf(current));
        await operators.update(trx, operatorId, body);
        const cookies = replacement === undefined ? [] : await replacement(trx);
        const fields = (['name', 'language'] as const).filter((name) => body[name] !== undefined);
        if (fields.length > 0) {
          await deps.recordActivity(trx, {
            projectId: null,
            actor: principal,
            action: 'operator.updated',
            subjectId: operatorId,
            details: { fields },
          });
        }
        return { ...replyWith(await requireProfile(operators, trx, operatorId)), cookies };
      });
    },
  });

  return [read, update];
}

const etagOf = ({ name, language }: Pick<Profile, 'name' | 'language'>) => formatEtagOfState(name, language);
const replyWith = (profile: Profile) => ({ body: toOperatorWire(profile), etag: etagOf(profile) });

/** Judges and hashes a new password before the transaction that stores it; undefined where there is none. */
function createPreparePassword(deps: OperatorsDependencies) {
  const { db, operators, browserSessions, signIn, presence, passwords } = deps;

  async function proveCurrent(
    request: BrowserRequest,
    profile: Profile,
    given: Change,
  ): Promise<string | null> {
    if (!profile.hasPassword) return null;
    if (given.currentPassword === undefined) throw refuse('currentPassword', 'required with a new password');
    try {
      const { email } = profile;
      return (await signIn.provePassword(request, { email, password: given.currentPassword })).passwordHash;
    } catch (error) {
      if (!(error instanceof HttpError) || error.code !== 'sign_in_refused') throw error;
      throw refuse('currentPassword', 'Not your current password');
    }
  }

  return async (principal: Operator, request: BrowserRequest, given: Change) => {
    const { password } = given;
    if (password === undefined && given.endTokens === true)
      throw refuse('endTokens', 'Only with a new password');
    if (password === undefined) return undefined;
    const profile = await requireProfile(operators, db, principal.operatorId);
    // A token alone must not be enough to get a way in that outlives it.
    if (!profile.hasPassword && principal.sessionId === undefined) {
      throw new HttpError('forbidden', { detail: 'Sign in to set a first password.' });
    }
    if (!profile.hasPassword) await presence.assertRecentSignIn(principal);
    const fault = findPasswordFault(password, profile);
    if (fault !== undefined) throw refuse('password', fault);
    const before = await proveCurrent(request, profile, given);
    const passwordHash = await passwords.hash(maskToNetwork(request.ip ?? 'unknown'), password);
    return async (trx: Db): Promise<readonly string[]> => {
      const now = await operators.lock(trx, profile.id);
      if (now?.passwordHash !== before) throw refuse('currentPassword', 'Not your current password');
      await operators.setPassword(trx, profile, passwordHash);
      const endedTokens =
        given.endTokens === true ? await deps.personalAccessTokens.revokeAll(trx, profile.id) : 0;
      await deps.recordActivity(trx, {
        projectId: null,
        actor: principal,
        action: 'operator.password_changed',
        subjectId: profile.id,
        details: { endedTokens },
      });
      return browserSessions.renewAll(trx, profile.id, { principal, request }, 'password');
    };
  };
}

function refuse(member: string, message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path: `body.${member}`, message }] });
}
