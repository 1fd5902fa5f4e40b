import type { Provider } from '../schema/provider.schema.ts';

/** True where users authorize in the browser at the provider, who sends them back to a redirect URL. */
export function sendsUsersToProvider({ auth, oauth1 }: Pick<Provider, 'auth' | 'oauth1'>): boolean {
  if (auth === 'oauth1') return oauth1?.requestTokenUrl !== undefined;
  return auth === 'oauth2' || auth === 'github-app';
}

/** True where each call is signed, and the credential itself is never sent. */
export function isSignedKind(auth: Provider['auth']): boolean {
  return auth === 'aws-sigv4' || auth === 'oauth1' || auth === 'jwt-per-call';
}
