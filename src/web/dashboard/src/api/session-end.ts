import { findCode } from './problem.ts';

/** What the API says where there is no session, or no more; other 401 are about a password or a code that was typed. */
const CODES: ReadonlySet<string> = new Set([
  'token_missing',
  'token_invalid',
  'token_expired',
  'token_revoked',
  'signed_out',
]);

/** Whether a request was refused since the session has ended. */
export function isSessionEnd(error: unknown): boolean {
  return CODES.has(findCode(error) ?? '');
}

/** Asks the operator to sign in again. `isChange`: the request was to change something. Gives whether that was done. */
type Restore = (isChange: boolean) => Promise<boolean>;

let restore: Restore | undefined;

/** Names who asks; the frame does while it is there. Gives back the function that ends it. */
export function setRestore(next: Restore): () => void {
  restore = next;
  return () => {
    restore = undefined;
  };
}

/** True where the operator has signed in again, so that the request is worth sending once more. */
export async function restoreSession(isChange: boolean): Promise<boolean> {
  return restore === undefined ? false : restore(isChange);
}
