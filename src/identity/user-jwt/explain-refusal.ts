import type { TokenFault } from '../../http/token-refusal.ts';
import { isReservedUserId } from '../../projects/texts.schema.ts';
import { isAudience, isMeantFor, type JsonObject, readClaims } from './claims.ts';
import { parseUserToken, readJsonObject, type UnprovenToken } from './user-jwt.ts';
import type { VerificationKey } from './verification-key.ts';

type Context = { readonly projectId: string; readonly nowMs: number };

export type Explanation = {
  /** Undefined where the keys would have to be known. */
  readonly fault: TokenFault | undefined;
  /** Those that may have signed the token nevertheless. */
  readonly signers: readonly VerificationKey[];
};

/**
 * Why a token was refused, by everything that needs no signature check: the first fault in the order of the checks, or
 * `signature` where there is no other. A token that names neither the project nor one of its keys is `unrelated`. Pure.
 */
export function explainRefusal(
  text: string,
  keys: readonly VerificationKey[] | undefined,
  context: Context,
): Explanation {
  const token = parseUserToken(text);
  if (token === 'not_a_jwt' || keys === undefined) {
    return { fault: token === 'not_a_jwt' ? token : undefined, signers: [] };
  }
  const { kid, payload } = typeof token === 'string' ? readLoosely(text) : token;
  const ofKid = keys.filter((key) => key.kid === kid);
  const isNamed =
    ofKid.length > 0 ||
    isAudience(payload, { audience: null }, context.projectId) ||
    keys.some((key) => isAudience(payload, key, context.projectId));
  if (!isNamed) return { fault: 'unrelated', signers: [] };
  if (typeof token === 'string') return { fault: token, signers: [] };
  return explainParsed(token, token.kid === undefined ? keys : ofKid, context);
}

function explainParsed(
  { alg, payload }: UnprovenToken,
  named: readonly VerificationKey[],
  { projectId, nowMs }: Context,
): Explanation {
  if (named.length === 0) return { fault: 'unknown_kid', signers: [] };
  const signers = named.filter((key) => key.alg === alg);
  if (signers.length === 0) return { fault: 'algorithm', signers };
  const claims = readClaims(payload, nowMs / 1000);
  if (typeof claims === 'string') return { fault: claims, signers };
  const isReserved = isReservedUserId(claims.subject);
  const allowed = signers.filter((key) => key.isManaged || !isReserved);
  if (allowed.length === 0) return { fault: 'subject_reserved', signers };
  const addressed = allowed.filter((key) => isAudience(payload, key, projectId));
  if (addressed.length === 0) return { fault: 'audience', signers };
  if (!addressed.some((key) => isMeantFor(payload, key, projectId))) return { fault: 'issuer', signers };
  return { fault: 'signature', signers: [] };
}

/** What a token names whose header is refused. */
function readLoosely(text: string): { readonly kid: unknown; readonly payload: JsonObject } {
  const [header = '', payload = ''] = text.split('.', 2);
  return { kid: readJsonObject(header)?.kid, payload: readJsonObject(payload) ?? {} };
}
