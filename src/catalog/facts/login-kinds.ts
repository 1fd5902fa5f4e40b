import type { Provider } from '../schema/provider.schema.ts';

/** Kinds of authentication in which the gateway itself logs in. */
export const LOGIN_KINDS: readonly Provider['auth'][] = ['jwt-bearer', 'token-login', 'github-app'];

/** True where the gateway gets access tokens with a key or a password that it keeps. */
export function isLoginKind(auth: Provider['auth']): boolean {
  return LOGIN_KINDS.includes(auth);
}
