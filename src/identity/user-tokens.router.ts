import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { ownUserIdText } from '../projects/texts.schema.ts';
import type { SigningKeysStore } from './signing-keys.store.ts';
import { signUserToken } from './user-jwt.ts';

const userTokenBody = z.strictObject({
  userId: ownUserIdText.meta({ description: 'Your own id of the user; becomes the token’s `sub`.' }),
  expiresIn: z
    .number()
    .int()
    .min(60)
    .max(24 * 60 * 60)
    .default(3600)
    .meta({ description: 'Lifetime in seconds.' }),
});

const userTokenSchema = z
  .object({ token: z.string(), expiresAt: z.iso.datetime() })
  .meta({ id: 'UserToken' });

/** Minting, for applications that do not sign tokens themselves. */
export function createUserTokensEndpoints(deps: {
  signingKeys: Pick<SigningKeysStore, 'findMintingKey'>;
  now?: () => number;
}): Endpoint[] {
  const now = deps.now ?? Date.now;

  const mint = endpoint({
    operationId: 'createUserToken',
    method: 'post',
    path: '/user-tokens',
    summary: 'Mint a user token',
    description: 'A JWT for one user of the key’s project, signed (ES256) with its newest managed key.',
    tag: 'Projects',
    principals: ['api_key'],
    body: userTokenBody,
    requestExample: { userId: 'customer-17', expiresIn: 3600 },
    success: { status: 201, schema: userTokenSchema, description: 'The token' },
    errors: ['signing_key_invalid'],
    async handler({ principal: { projectId }, body }) {
      const key = await deps.signingKeys.findMintingKey(projectId);
      if (key === undefined) {
        throw new HttpError('signing_key_invalid', {
          detail: 'The project has no managed signing key. Add one by POST …/signing-keys {"managed": true}.',
        });
      }
      const { token, expiresAt } = signUserToken({
        ...key,
        projectId,
        subject: body.userId,
        expiresInSeconds: body.expiresIn,
        now: now(),
      });
      return {
        body: { token, expiresAt: expiresAt.toISOString() },
        headers: { 'Cache-Control': 'no-store' },
      };
    },
  });

  return [mint];
}
