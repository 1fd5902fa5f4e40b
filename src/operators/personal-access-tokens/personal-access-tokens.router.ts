import { z } from 'zod';
import type { RecordActivity } from '../../activity/record.ts';
import { assertIfMatch, formatEtagOfState } from '../../http/conditional.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { listQuery, readPage } from '../../lib/cursor.ts';
import type { Mailer } from '../../platform/mailer.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { operatorMails } from '../accounts/operator-mails.ts';
import type { Account, OperatorsStore } from '../accounts/operators.store.ts';
import { requireProfile } from '../accounts/require-profile.ts';
import type { ProvePresence } from '../sessions/prove-presence.ts';
import {
  createPersonalAccessTokenBody,
  newPersonalAccessTokenSchema,
  personalAccessTokenList,
  personalAccessTokenParams,
  personalAccessTokenSchema,
  updatePersonalAccessTokenBody,
} from './personal-access-tokens.schema.ts';
import type { PersonalAccessToken, PersonalAccessTokensStore } from './personal-access-tokens.store.ts';
import { isTokenEndAllowed, usualTokenEnd } from './token-lifetime.ts';

type PersonalAccessTokensDependencies = {
  db: Db;
  operators: OperatorsStore;
  personalAccessTokens: PersonalAccessTokensStore;
  presence: ProvePresence;
  mailer: Mailer;
  recordActivity: RecordActivity;
  publicUrl: string;
  /** How long a token may live at most. */
  daysMax: number;
  now(): number;
};

const TAG = 'Projects';

/** An operator's own tokens; no operator sees or creates another's. */
export function createPersonalAccessTokensEndpoints(deps: PersonalAccessTokensDependencies): Endpoint[] {
  return [
    listPersonalAccessTokens(deps),
    createPersonalAccessToken(deps),
    updatePersonalAccessToken(deps),
    revokePersonalAccessToken(deps),
  ];
}

function listPersonalAccessTokens({ personalAccessTokens }: PersonalAccessTokensDependencies): Endpoint {
  return endpoint({
    operationId: 'listPersonalAccessTokens',
    method: 'get',
    path: '/personal-access-tokens',
    summary: 'List your personal access tokens',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    query: z.strictObject(listQuery),
    success: { status: 200, schema: personalAccessTokenList, description: 'Tokens that are not revoked' },
    async handler({ principal, query }) {
      const { operatorId } = principal;
      const { items, nextCursor } = await readPage(query, (window) =>
        personalAccessTokens.list({ operatorId, ...window }),
      );
      return { body: { personalAccessTokens: items.map(wire), nextCursor } };
    },
  });
}

function createPersonalAccessToken(deps: PersonalAccessTokensDependencies): Endpoint {
  const { operators, db, presence, personalAccessTokens, recordActivity } = deps;
  return endpoint({
    operationId: 'createPersonalAccessToken',
    method: 'post',
    path: '/personal-access-tokens',
    summary: 'Create a personal access token',
    description:
      'It may do whatever you may. Takes your password, also where a token asks; an operator without a password must have signed in within the last ten minutes. Without `expiresAt` it ends in 90 days. Where the gateway sends mails, you get one about it.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    body: createPersonalAccessTokenBody,
    requestExample: { name: 'Laptop', password: 'correct horse battery staple' },
    success: { status: 201, schema: newPersonalAccessTokenSchema, description: 'The token, shown this once' },
    errors: ['address_unverified', 'sign_in_too_old', 'csrf_rejected', 'overloaded'],
    async handler({ principal, body, request, commitReply }) {
      const profile = await requireProfile(operators, db, principal.operatorId);
      if (!profile.emailVerified) throw new HttpError('address_unverified');
      const expiresAt = chooseEnd(deps, body.expiresAt);
      await presence.assertPresent(principal, request, profile, body.password);
      let notify = () => {};
      const reply = await commitReply(db, async (trx) => {
        // Locked, so that no token is made while the address becomes verified and what was before ends.
        const account = await operators.lock(trx, principal.operatorId);
        if (account?.isEmailVerified !== true) throw new HttpError('address_unverified');
        const { name, allowedAddresses = null } = body;
        const owner = { operatorId: account.id, name, expiresAt, allowedAddresses };
        const { personalAccessToken, token } = await personalAccessTokens.insert(trx, owner);
        await recordActivity(trx, {
          projectId: null,
          actor: principal,
          action: 'personal_access_token.created',
          subjectId: personalAccessToken.id,
          details: { name, allowedAddresses },
        });
        notify = () => notifyOwner(deps, account, personalAccessToken, request.ip);
        return { body: { ...wire(personalAccessToken), token } };
      });
      notify();
      return reply;
    },
  });
}

function updatePersonalAccessToken(deps: PersonalAccessTokensDependencies): Endpoint {
  const { operators, db, presence, personalAccessTokens, recordActivity } = deps;
  return endpoint({
    operationId: 'updatePersonalAccessToken',
    method: 'patch',
    path: '/personal-access-tokens/{id}',
    summary: 'Change a personal access token',
    description:
      'Counts from its next request, on every replica. Other addresses take your password, as creating does, so that a stolen token cannot free itself.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    params: personalAccessTokenParams,
    body: updatePersonalAccessTokenBody,
    requestExample: { name: 'Laptop' },
    success: { status: 200, schema: personalAccessTokenSchema, description: 'The token as changed' },
    errors: ['not_found', 'sign_in_too_old', 'csrf_rejected', 'overloaded', 'precondition_failed'],
    async handler({ principal, params, body, request }) {
      const { password, ...change } = body;
      if (change.allowedAddresses !== undefined) {
        const profile = await requireProfile(operators, db, principal.operatorId);
        await presence.assertPresent(principal, request, profile, password);
      }
      return db.transaction(async (trx) => {
        const old = await personalAccessTokens.lock(trx, principal.operatorId, params.id);
        if (old === undefined) throw new HttpError('not_found');
        assertIfMatch(request, etagOf(old));
        const token = await personalAccessTokens.update(trx, old.id, change);
        await recordActivity(trx, {
          projectId: null,
          actor: principal,
          action: 'personal_access_token.updated',
          subjectId: token.id,
          details: { ...describe(token), fields: Object.keys(change), previous: describe(old) },
        });
        return { body: wire(token), etag: etagOf(token) };
      });
    },
  });
}

const etagOf = (token: PersonalAccessToken) => formatEtagOfState(describe(token));

function describe({ name, allowedAddresses }: PersonalAccessToken) {
  return { name, allowedAddresses };
}

function revokePersonalAccessToken({
  db,
  personalAccessTokens,
  recordActivity,
}: PersonalAccessTokensDependencies): Endpoint {
  return endpoint({
    operationId: 'revokePersonalAccessToken',
    method: 'delete',
    path: '/personal-access-tokens/{id}',
    summary: 'Revoke a personal access token',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    params: personalAccessTokenParams,
    success: { status: 204, description: 'Revoked, at once' },
    errors: ['not_found'],
    async handler({ principal, params }) {
      await db.transaction(async (trx) => {
        const isRevoked = await personalAccessTokens.revoke(trx, principal.operatorId, params.id);
        if (!isRevoked) throw new HttpError('not_found');
        await recordActivity(trx, {
          projectId: null,
          actor: principal,
          action: 'personal_access_token.revoked',
          subjectId: params.id,
          details: {},
        });
      });
      return {};
    },
  });
}

/** When a new token ends: as asked, within what the setting allows. */
function chooseEnd(
  { now, daysMax }: Pick<PersonalAccessTokensDependencies, 'now' | 'daysMax'>,
  asked: string | undefined,
): Date {
  const time = now();
  if (asked === undefined) return usualTokenEnd(time, daysMax);
  const end = new Date(asked);
  if (isTokenEndAllowed(end, time, daysMax)) return end;
  const message = `At most ${daysMax} days ahead; the setting PERSONAL_ACCESS_TOKEN_DAYS_MAX allows more`;
  throw new HttpError('invalid_request', { errors: [{ path: 'body.expiresAt', message }] });
}

/** In the background: a token that its owner did not make must not stay unnoticed. */
function notifyOwner(
  { mailer, publicUrl }: PersonalAccessTokensDependencies,
  { id, email, language }: Account,
  { name, createdAt }: PersonalAccessToken,
  sourceAddress: string | undefined,
): void {
  const facts = { name, at: createdAt, address: sourceAddress ?? 'unknown', url: `${publicUrl}/me` };
  const mail = { to: email, ...operatorMails(language).tokenCreated(facts) };
  void mailer.send('token created', mail, id);
}

function wire(token: PersonalAccessToken) {
  return {
    id: token.id,
    name: token.name,
    prefix: token.prefix,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    allowedAddresses: token.allowedAddresses && [...token.allowedAddresses],
  };
}
