import type { GatewayProvider, GatewayWay } from './gateway-api.ts';
import type { Mapped, NangoKind } from './mapping.ts';

/** Our kinds of authentication that can hold what one of theirs has, the likeliest first. */
const KINDS: Readonly<Record<NangoKind, readonly string[]>> = {
  OAUTH2: ['oauth2'],
  OAUTH2_CC: ['oauth2-client-credentials'],
  API_KEY: ['api-key'],
  BASIC: ['basic', 'api-key'],
  TBA: ['oauth1'],
  JWT: ['jwt-bearer', 'jwt-per-call'],
  TWO_STEP: ['token-login', 'jwt-bearer'],
  BILL: ['token-login'],
  SIGNATURE: ['token-login'],
};

/** Kinds that cannot be brought over whatever our entry has, and what to do about it. */
const REASONS: Readonly<Record<string, string>> = {
  APP: 'the installation of an app belongs to the app: its users connect it anew, which asks for no new permission',
  AWS_SIGV4:
    'what Nango holds are keys of a role that end within hours: make an integration whose grant is `role`, and import the ARN of the role with the external id of its trust policy',
  OAUTH1: 'tokens of OAuth 1.0a belong to the client that asked for them: its users have to authorize again',
};

/** Ours that ask for everything in a form, so that their variables stand among Nango's credentials. */
const TYPED: ReadonlySet<string> = new Set(['oauth1', 'jwt-bearer', 'jwt-per-call', 'token-login']);

/** How credentials of this kind are held here: by the entry's first way to authenticate, or by another that it has. */
export function chooseWay(provider: GatewayProvider, nangoKind: string): Mapped<{ way: GatewayWay }> {
  const kinds = isKnownKind(nangoKind) ? KINDS[nangoKind] : undefined;
  if (kinds === undefined) {
    const reason = REASONS[nangoKind] ?? 'it has no counterpart here';
    return { ok: false, reason: `authorization “${nangoKind}”: ${reason}` };
  }
  const ways = kinds.flatMap((kind) => provider.grants.filter(({ auth }) => auth === kind));
  const [way] = ways;
  if (way !== undefined) return { ok: true, way };
  const here = [...new Set(provider.grants.map(({ auth }) => auth))].join(', ');
  return { ok: false, reason: `other kind of credentials: ${kinds.join(' or ')} there, ${here} here` };
}

export function isTyped({ auth }: GatewayWay): boolean {
  return TYPED.has(auth);
}

function isKnownKind(kind: string): kind is NangoKind {
  return Object.hasOwn(KINDS, kind);
}
