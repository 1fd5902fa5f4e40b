import { z } from 'zod';
import type { RecordActivity } from '../../activity/record.ts';
import { assertIfMatch, formatEtagOfState } from '../../http/conditional.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { listQuery, readPage } from '../../lib/cursor.ts';
import { requireProfile } from '../accounts/require-profile.ts';
import { chooseEnd, type IssueTokenDependencies, issueToken } from './issue-token.ts';
import {
  createPersonalAccessTokenBody,
  newPersonalAccessTokenSchema,
  personalAccessTokenList,
  personalAccessTokenParams,
  personalAccessTokenSchema,
  rotatePersonalAccessTokenBody,
  toTokenWire,
  updatePersonalAccessTokenBody,
} from './personal-access-tokens.schema.ts';
import type { PersonalAccessToken, PersonalAccessTokensStore } from './personal-access-tokens.store.ts';

type PersonalAccessTokensDependencies = IssueTokenDependencies & {
  personalAccessTokens: PersonalAccessTokensStore;
  recordActivity: RecordActivity;
};

const TAG = 'Projects';

/** An operator's own tokens; no operator sees or creates another's. */
export function createPersonalAccessTokensEndpoints(deps: PersonalAccessTokensDependencies): Endpoint[] {
  return [
    listPersonalAccessTokens(deps),
    createPersonalAccessToken(deps),
    rotatePersonalAccessToken(deps),
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
      return { body: { personalAccessTokens: items.map(toTokenWire), nextCursor } };
    },
  });
}

function createPersonalAccessToken(deps: PersonalAccessTokensDependencies): Endpoint {
  const { personalAccessTokens, recordActivity } = deps;
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
    async handler({ body, ...asked }) {
      const expiresAt = chooseEnd(deps, body.expiresAt);
      return issueToken(deps, { ...asked, password: body.password }, async (trx, operatorId) => {
        const { name, allowedAddresses = null } = body;
        const given = { operatorId, name, expiresAt, allowedAddresses };
        const made = await personalAccessTokens.insert(trx, given);
        await recordActivity(trx, {
          projectId: null,
          actor: asked.principal,
          action: 'personal_access_token.created',
          subjectId: made.personalAccessToken.id,
          details: { name, allowedAddresses },
        });
        return made;
      });
    },
  });
}

function rotatePersonalAccessToken(deps: PersonalAccessTokensDependencies): Endpoint {
  const { personalAccessTokens, recordActivity } = deps;
  return endpoint({
    operationId: 'rotatePersonalAccessToken',
    method: 'post',
    path: '/personal-access-tokens/{id}/rotate',
    summary: 'Rotate a personal access token',
    description:
      'Makes a new token of the same name and addresses; the old one goes on for `overlapSeconds`, a day when left out. Takes your password, as creating does, so that a stolen token cannot prolong itself.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'anyone',
    params: personalAccessTokenParams,
    body: rotatePersonalAccessTokenBody,
    requestExample: { overlapSeconds: 3_600, password: 'correct horse battery staple' },
    success: { status: 201, schema: newPersonalAccessTokenSchema, description: 'The token, shown this once' },
    errors: ['not_found', 'address_unverified', 'sign_in_too_old', 'csrf_rejected', 'overloaded'],
    async handler({ params, body, ...asked }) {
      // Before the password is asked for, so that another's token looks like one that does not exist.
      if (!(await personalAccessTokens.isLive(asked.principal.operatorId, params.id)))
        throw new HttpError('not_found');
      const expiresAt = chooseEnd(deps, body.expiresAt);
      const { password, overlapSeconds } = body;
      return issueToken(deps, { ...asked, password }, async (trx, operatorId) => {
        const old = await personalAccessTokens.lockLive(trx, operatorId, params.id);
        if (old === undefined) throw new HttpError('not_found');
        const { id, name, allowedAddresses, lineageId } = old;
        const next = { operatorId, name, expiresAt, allowedAddresses, lineageId };
        const made = await personalAccessTokens.insert(trx, next);
        if (overlapSeconds === 0) await personalAccessTokens.revoke(trx, operatorId, id);
        else await personalAccessTokens.endIn(trx, id, overlapSeconds);
        await recordActivity(trx, {
          projectId: null,
          actor: asked.principal,
          action: 'personal_access_token.rotated',
          subjectId: id,
          details: { name, newTokenId: made.personalAccessToken.id, overlapSeconds },
        });
        return made;
      });
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
        return { body: toTokenWire(token), etag: etagOf(token) };
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
