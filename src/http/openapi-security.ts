import { hostCookieName } from './cookies.ts';
import type { Endpoint } from './endpoint.ts';
import { KEY_SCOPES, listNeededScopes } from './key-scopes.ts';
import type { Json } from './openapi-schemas.ts';
import type { PrincipalKind } from './principal.ts';

const SECURITY = {
  operator: 'operatorToken',
  api_key: 'apiKey',
  end_user: 'userToken',
} as const satisfies Readonly<Record<PrincipalKind, string>>;

/** An operator has a second way in, besides the token: the cookie of a session. */
const SESSION_COOKIE = 'operatorSession';

/** The ways in which a caller of the operation may show who it is. */
export function describeSecurity({ principals, keyScope }: Endpoint): Json[] {
  return principals.flatMap((kind) => [
    // The names of a scheme that is not OAuth are roles (OpenAPI 3.1.1, Security Requirement Object): here scopes of the key.
    { [SECURITY[kind]]: kind === 'api_key' ? listNeededScopes(keyScope) : [] },
    ...(kind === 'operator' ? [{ [SESSION_COOKIE]: [] }] : []),
  ]);
}

const SECURITY_SCHEMES = {
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'Personal access token of an operator (`igo_…`).',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: `Project API key (\`igk_…\`), for backends only. Its scopes:\n\n${describeScopes()}\n\n\`*\` stands for all of them. \`write\` and \`manage\` include \`read\`.`,
  },
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'User token: a JWT signed with a signing key of the project, or made by `POST /user-tokens`. One whose `aud` is not the project id (a JWKS with an audience of its own) needs `Gateway-Project: <project id>` beside it.',
  },
} satisfies Record<(typeof SECURITY)[PrincipalKind], Json>;

function describeScopes(): string {
  return Object.entries(KEY_SCOPES)
    .map(([name, sentence]) => `- \`${name}\`: ${sentence}`)
    .join('\n');
}

/** The ways in that the document defines. */
export function buildSecuritySchemes(publicUrl: string): Json {
  return { ...SECURITY_SCHEMES, [SESSION_COOKIE]: describeSession(publicUrl) };
}

function describeSession(publicUrl: string): Json {
  return {
    type: 'apiKey',
    in: 'cookie',
    name: hostCookieName('gateway_session', publicUrl),
    description:
      'Session of a signed-in operator (`POST /sessions`). A request that changes something needs `Origin` or `Sec-Fetch-Site` of the gateway’s own origin. The cookie is not looked at beside an `Authorization` field.',
  };
}
