import type { CheckKey } from './check-signature.ts';
import type { Line, LineCode } from './line.ts';
import type { JsonObject } from './read-token.ts';

type Context = { readonly projectId: string; readonly nowMs: number };

const SKEW_SECONDS = 30;
const LIFETIME_SECONDS_MAX = 86_400;
const KNOWN = new Set(['sub', 'aud', 'exp', 'iat', 'nbf', 'iss', 'jti', 'org', 'gateway_roles']);
const NAMES_SHOWN = 12;

/** What the claims say, a line each. `keys` are those that the header chooses. */
export function checkClaims(payload: JsonObject, keys: readonly CheckKey[], context: Context): Line[] {
  const nowSeconds = context.nowMs / 1000;
  return [
    checkIssuer(payload, keys),
    checkAudience(payload, keys, context.projectId),
    checkSubject(payload, keys),
    ...checkOrganization(payload),
    checkExpiry(payload, nowSeconds),
    checkBegin('iat', payload.iat, nowSeconds),
    checkBegin('nbf', payload.nbf, nowSeconds),
    ...listOthers(payload),
  ];
}

function checkIssuer({ iss }: JsonObject, keys: readonly CheckKey[]): Line {
  const asked = keys.flatMap(({ issuer }) => issuer ?? []);
  if (asked.length === 0 || asked.length < keys.length) return { name: 'iss', state: 'info', code: 'issAny' };
  if (typeof iss === 'string' && asked.includes(iss)) {
    return { name: 'iss', state: 'good', code: 'issGood', value: iss };
  }
  return { name: 'iss', state: 'bad', code: 'issOther', value: asked.join(', ') };
}

function checkAudience({ aud }: JsonObject, keys: readonly CheckKey[], projectId: string): Line {
  const wanted = keys.length === 0 ? [projectId] : keys.map(({ audience }) => audience ?? projectId);
  const found = typeof aud === 'string' ? [aud] : Array.isArray(aud) ? aud : [];
  const isListOfTexts = found.every((entry) => typeof entry === 'string');
  const value = [...new Set(wanted)].join(', ');
  if (found.length === 0) return { name: 'aud', state: 'bad', code: 'audMissing', value };
  const isGood = isListOfTexts && wanted.some((entry) => found.includes(entry));
  return { name: 'aud', state: isGood ? 'good' : 'bad', code: isGood ? 'audGood' : 'audOther', value };
}

function checkSubject({ sub }: JsonObject, keys: readonly CheckKey[]): Line {
  const bad = (code: LineCode): Line => ({ name: 'sub', state: 'bad', code });
  if (sub === undefined) return bad('subMissing');
  if (typeof sub !== 'string') return bad('subType');
  if (!isOwnId(sub)) return bad('subText');
  if (sub.startsWith('operator:') && !keys.some(({ isManaged }) => isManaged)) return bad('subReserved');
  return { name: 'sub', state: 'good', code: 'subGood', value: sub };
}

/** No line where the token names none. */
function checkOrganization({ org }: JsonObject): Line[] {
  if (org === undefined || org === null) return [];
  if (typeof org !== 'string' || !isOwnId(org)) return [{ name: 'org', state: 'bad', code: 'orgText' }];
  return [{ name: 'org', state: 'good', code: 'orgGood', value: org }];
}

function isOwnId(text: string): boolean {
  return text !== '' && [...text].length <= 255 && !/\p{Cc}/u.test(text) && !/\p{Cs}/u.test(text);
}

function checkExpiry({ exp, iat }: JsonObject, nowSeconds: number): Line {
  if (exp === undefined) return { name: 'exp', state: 'bad', code: 'expMissing' };
  if (!isNumber(exp)) return { name: 'exp', state: 'bad', code: 'dateType' };
  const begin = isNumber(iat) ? iat : nowSeconds + SKEW_SECONDS;
  if (exp - begin > LIFETIME_SECONDS_MAX) {
    return {
      name: 'exp',
      state: 'bad',
      code: exp > 1e11 ? 'expMilliseconds' : 'expLong',
      seconds: exp - begin,
    };
  }
  const left = exp - nowSeconds;
  if (left <= -SKEW_SECONDS) return { name: 'exp', state: 'bad', code: 'expPast', seconds: -left };
  return { name: 'exp', state: 'good', code: 'expGood', seconds: left };
}

function checkBegin(name: 'iat' | 'nbf', value: unknown, nowSeconds: number): Line {
  if (value === undefined) return { name, state: 'info', code: `${name}Missing` };
  if (!isNumber(value)) return { name, state: 'bad', code: 'dateType' };
  const ahead = value - nowSeconds;
  if (ahead > SKEW_SECONDS) return { name, state: 'bad', code: `${name}Ahead`, seconds: ahead };
  return { name, state: 'good', code: ahead > 0 ? 'beginSkew' : 'beginGood', seconds: Math.abs(ahead) };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Names alone: what others mean by them is none of the gateway's. */
function listOthers(payload: JsonObject): Line[] {
  const names = Object.keys(payload).filter((name) => !KNOWN.has(name));
  if (names.length === 0) return [];
  const value = names.slice(0, NAMES_SHOWN).join(', ') + (names.length > NAMES_SHOWN ? ', …' : '');
  return [{ name: 'claims', state: 'info', code: 'others', value }];
}
