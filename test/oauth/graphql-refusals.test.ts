import { withGrant } from '../../src/catalog/schema/provider-auth-methods.ts';
import { proveCredential } from '../../src/oauth/probe.ts';
import type { Outbound } from '../../src/platform/outbound.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

/** As Linear answers a key that it does not know (linear.app/developers/graphql). */
const REFUSAL = {
  errors: [
    { message: 'Authentication required', extensions: { code: 'AUTHENTICATION_ERROR', statusCode: 401 } },
  ],
};
const FAULT = { errors: [{ message: 'Bad query', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] };

it.each([
  ['refused', REFUSAL],
  ['unclear', FAULT],
])('Linear’s 400 proves that a key is %s by its code alone', async (verdict, body) => {
  const entry = builtInCatalog.find('linear');
  const provider = entry && withGrant(entry, 'personal-api-key');
  if (provider === undefined) throw new Error('no such grant');
  const outbound: Outbound = {
    request: async () => ({ status: 400, headers: {}, body: Buffer.from(JSON.stringify(body)) }),
  };
  const proof = await proveCredential({ outbound }, provider, {
    apiKey: 'lin_api_x',
  });
  expect(proof?.verdict).toBe(verdict);
});
