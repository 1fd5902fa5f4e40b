import type { Provider } from '../schema/provider.schema.ts';

/** True where users authorize in the browser at the provider, who sends them back to a redirect URL. */
export function sendsUsersToProvider({ auth, oauth1 }: Pick<Provider, 'auth' | 'oauth1'>): boolean {
  if (auth === 'oauth1') return oauth1?.requestTokenUrl !== undefined;
  return auth === 'oauth2' || auth === 'github-app';
}

/** True where each call is signed, and the credential itself is never sent. */
export function isSignedKind(auth: Provider['auth']): boolean {
  return auth === 'aws-sigv4' || auth === 'oauth1' || auth === 'jwt-per-call' || auth === 'wsse';
}

/** True where calls bear AWS's signature: with a key that is typed, or with temporary ones that a log-in brings. */
export function isSignedByAws({ auth, awsSigV4 }: Pick<Provider, 'auth' | 'awsSigV4'>): boolean {
  return auth === 'aws-sigv4' || (auth === 'token-login' && awsSigV4 !== undefined);
}
