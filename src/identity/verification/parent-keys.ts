import type { TokenRights } from '../../mandates/token-rights.ts';
import type { KeySet } from '../signing-keys/key-set-cache.ts';

/** The signing key, as a row of the project, that stands behind the identity of a verification key. */
export function findSigningKeyId(keyIdentity: string): string {
  return keyIdentity.split('\n', 1)[0] ?? '';
}

/** Whether the project still has the keys that signed the tokens which this one was made of. */
export function hasParentKeys({ keys, sources }: KeySet, rights: TokenRights | undefined): boolean {
  const ids = rights?.exchange?.keys;
  if (ids === undefined) return true;
  return ids.every(
    (id) =>
      keys.some(({ identity }) => findSigningKeyId(identity) === id) ||
      sources.some(({ signingKeyId }) => signingKeyId === id),
  );
}
