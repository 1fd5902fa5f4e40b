import type { Provider } from './provider.schema.ts';

/** True where users authorize in the browser at the provider, who sends them back to a redirect URL. */
export function sendsUsersToProvider({ auth }: Pick<Provider, 'auth'>): boolean {
  return auth === 'oauth2' || auth === 'github-app';
}
