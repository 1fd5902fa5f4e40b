import { isAlgorithm } from '../guess-algorithm.ts';
import { checkClaims } from './check-claims.ts';
import { type CheckKey, canCheckSignatures, findSigner } from './check-signature.ts';
import type { Line, LineCode } from './line.ts';
import { cutToken, type ReadToken, readToken } from './read-token.ts';

const LENGTH_MAX = 8 * 1024;
const REFUSED_PARAMETERS = ['crit', 'b64', 'jku', 'jwk', 'x5u'];
const TYPES = /^(application\/)?(jwt|at\+jwt)$/i;
const KID = /^[A-Za-z0-9._+/=-]{1,128}$/;

/**
 * Judges a user token as the gateway does, line by line, without stopping at the first fault. Nothing is sent: the
 * project's public keys are enough.
 */
export async function checkToken(
  pasted: string,
  keys: readonly CheckKey[],
  context: { readonly projectId: string; readonly nowMs: number },
): Promise<Line[]> {
  const text = cutToken(pasted);
  const token = readToken(text);
  if (token === undefined) return [{ name: 'token', state: 'bad', code: findForm(text) }];
  const named = token.header.kid === undefined ? keys : keys.filter(({ kid }) => kid === token.header.kid);
  const fitting = named.filter(({ alg }) => alg === token.header.alg);
  const signer = await findSigner(token, fitting);
  return [
    checkHeader(token),
    checkKid(token, keys, named),
    checkAlgorithm(token, named),
    checkSignature(fitting, signer),
    ...checkClaims(token.payload, signer ? [signer] : fitting, context),
  ];
}

/** Whether the gateway would take the token. */
export function isAccepted(lines: readonly Line[]): boolean {
  return lines.every(({ state }) => state !== 'bad') && lines.some(({ code }) => code === 'signatureGood');
}

function findForm(text: string): LineCode {
  if (/^ig[ko]_/.test(text)) return 'formKey';
  if (/^(undefined|null|\[object.*)?$/.test(text)) return 'formEmpty';
  return text.split('.').length === 5 ? 'formEncrypted' : 'formNone';
}

function checkHeader({ header, length }: ReadToken): Line {
  const bad = (code: LineCode, value = ''): Line => ({ name: 'header', state: 'bad', code, value });
  if (length > LENGTH_MAX) return bad('headerLong');
  const refused = REFUSED_PARAMETERS.filter((name) => Object.hasOwn(header, name));
  if (refused.length > 0) return bad('headerParameters', refused.join(', '));
  const { typ } = header;
  if (typ !== undefined && !(typeof typ === 'string' && TYPES.test(typ))) return bad('headerType');
  return { name: 'header', state: 'good', code: 'headerGood' };
}

function checkKid(
  { header: { kid } }: ReadToken,
  keys: readonly CheckKey[],
  named: readonly CheckKey[],
): Line {
  if (kid === undefined) return { name: 'kid', state: 'info', code: 'kidMissing' };
  if (typeof kid !== 'string' || !KID.test(kid)) return { name: 'kid', state: 'bad', code: 'kidText' };
  if (named.length > 0) return { name: 'kid', state: 'good', code: 'kidGood', value: kid };
  const known = keys.flatMap((key) => key.kid ?? []).join(', ');
  return { name: 'kid', state: 'bad', code: 'kidUnknown', value: known };
}

function checkAlgorithm({ header: { alg } }: ReadToken, named: readonly CheckKey[]): Line {
  const value = String(alg).slice(0, 20);
  if (!isAlgorithm(alg)) return { name: 'alg', state: 'bad', code: 'algRefused', value };
  if (named.length === 0) return { name: 'alg', state: 'info', code: 'algAlone', value };
  if (named.some((key) => key.alg === alg)) return { name: 'alg', state: 'good', code: 'algGood', value };
  const wanted = [...new Set(named.map((key) => key.alg))].join(', ');
  return { name: 'alg', state: 'bad', code: 'algOther', value: wanted };
}

function checkSignature(fitting: readonly CheckKey[], signer: CheckKey | undefined): Line {
  const name = 'signature';
  if (signer) return { name, state: 'good', code: 'signatureGood', value: signer.kid ?? '' };
  if (!canCheckSignatures()) return { name, state: 'info', code: 'signatureNoTls' };
  if (fitting.length === 0) return { name, state: 'info', code: 'signatureNoKey' };
  return { name, state: 'bad', code: 'signatureBad' };
}
