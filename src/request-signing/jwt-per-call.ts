import { createHash, type KeyObject, randomUUID } from 'node:crypto';
import { expandPastedValues } from '../catalog/facts/pasted-values.ts';
import { withDefaults } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { JwtPerCallRules } from '../catalog/schema/provider-signing.schema.ts';
import { fillJsonTemplate, listCallTemplateNames, listTexts } from '../lib/call-template.ts';
import { isRecord } from '../lib/is-record.ts';
import { readPrivateKey } from '../lib/private-key.ts';
import { signJwt } from '../lib/sign-jwt.ts';
import { fillTemplate } from '../lib/template.ts';
import type { BodyQuestion, CallSigner, UnsignedRequest } from './call-signer.ts';
import { isSendable, withLength, withoutFields } from './fields.ts';
import { bodyTooLargeToSignError, incompleteCredentialError } from './signing-errors.ts';

type Texts = Readonly<Record<string, string>>;
type Prepared = { readonly values: Texts; readonly key: KeyObject | Buffer };
type Kept = { readonly token: string; readonly untilMs: number };

/** What differs from call to call. */
const OF_THE_CALL = ['method', 'host', 'path', 'query', 'bodySha256', 'random'];

/**
 * Signs a JWT for each call and puts it where the entry has the access token. A JWT that says nothing of the call serves
 * for half of its life, and a key is read once for each connection in memory. `defaults` are values of variables that a
 * connection lacks.
 */
export function createJwtPerCallSigner(
  rules: JwtPerCallRules,
  provider: Pick<Provider, 'variables' | 'accessTokenHeader'>,
  defaults: Texts,
): CallSigner {
  const named = listTexts([rules.header, rules.claims]).flatMap(listCallTemplateNames);
  const isOfTheCall = named.some((name) => OF_THE_CALL.includes(name));
  const coversBody = named.includes('bodySha256');
  const prepared = new WeakMap<Texts, Prepared>();
  const kept = new WeakMap<Texts, Kept>();
  const { name: headerName, template } = provider.accessTokenHeader;

  function prepare(given: Texts): Prepared {
    const known = prepared.get(given);
    if (known !== undefined) return known;
    const values = withParts(rules, expandPastedValues(provider, withDefaults(defaults, given)));
    const key = keyOf(rules, values);
    if (key === undefined) throw incompleteCredentialError();
    const made = { values, key };
    prepared.set(given, made);
    return made;
  }

  function tokenFor(request: UnsignedRequest): string {
    const usable = kept.get(request.values);
    if (usable !== undefined && request.nowMs < usable.untilMs) return usable.token;
    const token = signToken(rules, prepare(request.values), request);
    const untilMs = request.nowMs + rules.lifetimeSeconds * 500;
    if (!isOfTheCall) kept.set(request.values, { token, untilMs });
    return token;
  }

  return {
    bodyBytesMax: rules.bodyBytesMax,
    bodyUse({ announcedBytes }: BodyQuestion) {
      if (!coversBody) return 'streams';
      if ((announcedBytes ?? 0) > rules.bodyBytesMax) throw bodyTooLargeToSignError(rules.bodyBytesMax);
      return 'whole';
    },
    sign(request) {
      const value = fillTemplate(template, { ...request.values, accessToken: tokenFor(request) });
      if (value === undefined || !isSendable(value)) throw incompleteCredentialError();
      const rest = withoutFields(request.fields, new Set(['authorization', headerName.toLowerCase()]));
      const fields = [...withLength(rest, request.body), headerName, value];
      return { target: request.target, fields };
    },
  };
}

function withParts({ parts }: JwtPerCallRules, values: Texts): Texts {
  const found = Object.entries(parts).map(([name, { of, separator, index }]) => [
    name,
    values[of]?.split(separator)[index] ?? '',
  ]);
  return { ...values, ...Object.fromEntries(found) };
}

function keyOf(rules: JwtPerCallRules, values: Texts): KeyObject | Buffer | undefined {
  const text = fillTemplate(rules.key, values);
  if (!text) return undefined;
  if (rules.alg.startsWith('HS')) return Buffer.from(text, rules.keyEncoding);
  const passphrase = rules.passphrase === undefined ? undefined : fillTemplate(rules.passphrase, values);
  return readPrivateKey(text, passphrase);
}

/** RFC 7519 section 2: a date is a number, whereas a template makes texts. */
function withNumericDate(claims: Record<string, unknown>): Record<string, unknown> {
  return claims.nbf === undefined ? claims : { ...claims, nbf: Number(claims.nbf) };
}

function signToken(rules: JwtPerCallRules, { values, key }: Prepared, request: UnsignedRequest): string {
  const [path = '', ...query] = request.target.split('?');
  const ofTheCall: Readonly<Record<string, () => string>> = {
    method: () => request.method,
    host: () => request.host,
    path: () => path,
    query: () => query.join('?'),
    bodySha256: () =>
      createHash('sha256')
        .update(request.body ?? '')
        .digest('hex'),
    random: () => randomUUID(),
  };
  const source = {
    nowMs: request.nowMs,
    lookUp: (name: string) =>
      Object.hasOwn(ofTheCall, name)
        ? ofTheCall[name]?.()
        : Object.hasOwn(values, name)
          ? values[name]
          : undefined,
  };
  const claims = fillJsonTemplate(rules.claims, source);
  const header = fillJsonTemplate(rules.header, source);
  if (!isRecord(claims) || !isRecord(header)) throw incompleteCredentialError();
  const token = signJwt(rules, { claims: withNumericDate(claims), header }, key, request.nowMs);
  if (token === undefined) throw incompleteCredentialError();
  return token;
}
