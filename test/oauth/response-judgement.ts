import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import type { TokenUse } from '../../src/oauth/token-error.ts';
import { judgeTokenResponse } from '../../src/oauth/token-response.ts';
import { acmeProvider } from '../support/acme-provider.ts';

export const JSON_TYPE = { 'content-type': 'application/json' };

type Options = { status?: number; type?: string; provider?: Provider; use?: TokenUse };

export function judge(body: unknown, options: Options = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = options.type === undefined ? JSON_TYPE : { 'content-type': options.type };
  const { provider = acmeProvider(), status = 200, use = 'issue' } = options;
  return judgeTokenResponse(provider, { status, headers, body: Buffer.from(text) }, { use, secrets: [] });
}

export function readTokens(judgement: ReturnType<typeof judge>) {
  if (!judgement.ok) throw new Error(`refused: ${judgement.kind} ${judgement.errorCode}`);
  return judgement.tokens;
}

export const slack = acmeProvider({
  scopeSeparator: ',',
  tokenResponse: {
    okMember: { path: 'ok', value: true },
    tokenTypes: ['bot'],
    accessToken: ['access_token', 'authed_user.access_token'],
    errorMeanings: { code_expired: 'invalid_grant', ratelimited: 'transient', bad_client_secret: 'client' },
  },
});
