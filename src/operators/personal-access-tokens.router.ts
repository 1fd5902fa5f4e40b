import { z } from 'zod';
import type { RecordActivity } from '../activity/record.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { decodeCursor, listQuery, page } from '../lib/cursor.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { OperatorsStore } from './operators.store.ts';
import {
  createPersonalAccessTokenBody,
  newPersonalAccessTokenSchema,
  personalAccessTokenList,
  personalAccessTokenParams,
} from './personal-access-tokens.schema.ts';
import type { PersonalAccessToken, PersonalAccessTokensStore } from './personal-access-tokens.store.ts';

export type PersonalAccessTokensDependencies = {
  db: Db;
  operators: OperatorsStore;
  personalAccessTokens: PersonalAccessTokensStore;
  recordActivity: RecordActivity;
};

const TAG = 'Projects';

/** An operator's own tokens; no operator sees or creates another's. */
export function createPersonalAccessTokensEndpoints(deps: PersonalAccessTokensDependencies): Endpoint[] {
  const { db, operators, personalAccessTokens } = deps;

  const list = endpoint({
    operationId: 'listPersonalAccessTokens',
    method: 'get',
    path: '/personal-access-tokens',
    summary: 'List your personal access tokens',
    tag: TAG,
    principals: ['operator'],
    query: z.strictObject(listQuery),
    success: { status: 200, schema: personalAccessTokenList, description: 'Tokens that are not revoked' },
    async handler({ principal, query }) {
      const rows = await personalAccessTokens.list({
        operatorId: principal.operatorId,
        beforeId: decodeCursor(query.cursor),
        limit: query.limit + 1,
      });
      const { items, nextCursor } = page(rows, query.limit);
      return { body: { personalAccessTokens: items.map(wire), nextCursor } };
    },
  });

  const create = endpoint({
    operationId: 'createPersonalAccessToken',
    method: 'post',
    path: '/personal-access-tokens',
    summary: 'Create a personal access token',
    description: 'It may do whatever you may. Without `expiresAt` it works until it is revoked.',
    tag: TAG,
    principals: ['operator'],
    body: createPersonalAccessTokenBody,
    requestExample: { name: 'Laptop' },
    success: { status: 201, schema: newPersonalAccessTokenSchema, description: 'The token, shown this once' },
    errors: ['address_unverified'],
    handler: ({ principal, body, commitReply }) =>
      commitReply(db, async (trx) => {
        // Locked, so that no token is made while the address becomes verified and what was before ends.
        const account = await operators.lock(trx, principal.operatorId);
        if (account?.isEmailVerified !== true) throw new HttpError('address_unverified');
        const { personalAccessToken, token } = await personalAccessTokens.insert(trx, {
          operatorId: principal.operatorId,
          name: body.name,
          expiresAt: body.expiresAt === undefined ? null : new Date(body.expiresAt),
        });
        await deps.recordActivity(trx, {
          projectId: null,
          actor: principal,
          action: 'personal_access_token.created',
          subjectId: personalAccessToken.id,
          details: { name: body.name },
        });
        return { body: { ...wire(personalAccessToken), token } };
      }),
  });

  const remove = endpoint({
    operationId: 'revokePersonalAccessToken',
    method: 'delete',
    path: '/personal-access-tokens/{id}',
    summary: 'Revoke a personal access token',
    tag: TAG,
    principals: ['operator'],
    params: personalAccessTokenParams,
    success: { status: 204, description: 'Revoked, at once' },
    errors: ['not_found'],
    async handler({ principal, params }) {
      await db.transaction(async (trx) => {
        const isRevoked = await personalAccessTokens.revoke(trx, principal.operatorId, params.id);
        if (!isRevoked) throw new HttpError('not_found');
        await deps.recordActivity(trx, {
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

  return [list, create, remove];
}

function wire(token: PersonalAccessToken) {
  return {
    id: token.id,
    name: token.name,
    prefix: token.prefix,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  };
}
