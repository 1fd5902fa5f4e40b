import { z } from 'zod';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { rateLimitedError } from '../../http/rate-limits.ts';
import { createRateLimiter } from '../../lib/rate-limit.ts';
import type { Access } from '../../projects/access.ts';
import { projectParams } from '../../projects/projects.schema.ts';
import { describeKeySet } from './describe-key-set.ts';
import { jwksUrlText } from './signing-keys.schema.ts';

const keySetFacts = z
  .object({
    keys: z.array(
      z.object({
        kid: z.string().nullable(),
        alg: z.string().nullable(),
        fault: z.string().nullable().meta({
          description: 'Why user tokens of this key are refused; null for a key that verifies them.',
        }),
        publicKey: z.string().nullable().meta({ description: 'PEM; null for a key that cannot be used.' }),
      }),
    ),
  })
  .meta({ id: 'KeySetFacts' });

/** The gateway fetches an address of the operator's choice, so the number of tries is limited. */
const TESTS = { limit: 30, windowSeconds: 600 };

export function createKeySetTestEndpoints(deps: {
  access: Access;
  /** The parsed body at an https URL; bounded in time and size. Rejects when it cannot be had. */
  fetchJwks(url: string): Promise<unknown>;
  /** Lets JWKS URLs be plain http. */
  allowPrivateNetworks: boolean;
}): Endpoint[] {
  const tests = createRateLimiter(TESTS);

  const test = endpoint({
    operationId: 'testKeySet',
    method: 'post',
    path: '/projects/{projectId}/signing-keys/test',
    summary: 'Try the address of a key set',
    description:
      'Fetches the key set as the gateway would, and shows which of its keys can verify user tokens. Nothing is kept. Thirty times in ten minutes.',
    tag: 'Projects',
    principals: ['operator'],
    leastRole: 'admin',
    params: projectParams,
    body: z.strictObject({ jwksUrl: jwksUrlText(deps) }),
    requestExample: { jwksUrl: 'https://id.example.com/.well-known/jwks.json' },
    changesNothing: true,
    success: { status: 200, schema: keySetFacts, description: 'The keys, the first 100' },
    errors: ['project_not_found', 'signing_key_invalid', 'rate_limited'],
    async handler({ principal, params: { projectId }, body }) {
      await deps.access.requireProjectAccess(principal, projectId, 'write');
      const count = tests.check(principal.operatorId);
      if (!count.allowed) throw rateLimitedError(count);
      const document = await deps.fetchJwks(body.jwksUrl).catch((error: unknown) => {
        const reason = error instanceof SyntaxError ? 'the answer is no JSON' : messageOf(error);
        throw new HttpError('signing_key_invalid', { detail: `The keys could not be fetched: ${reason}.` });
      });
      const keys = describeKeySet(document);
      if (keys === undefined) {
        throw new HttpError('signing_key_invalid', {
          detail: 'The address answers, but not with a key set: its JSON has no list named "keys".',
        });
      }
      return { body: { keys } };
    },
  });

  return [test];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown reason';
}
