import type { Provider } from '../api/catalog.ts';
import { useProvider } from './provider-mark.tsx';

/** Something small to read, below the API base, where the catalog knows no call that tells the account. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'demo-crm': '/crm/v3/objects/contacts?limit=3',
  hubspot: '/crm/v3/objects/contacts?limit=3',
  slack: '/auth.test',
  notion: '/v1/users/me',
  google: '/oauth2/v3/userinfo',
};

type ExampleCall = { readonly method: string; readonly path: string };

/** A call to begin with at the provider, as the way to authenticate has it; undefined where none is known. */
export function findExampleCall(
  provider: Pick<Provider, 'id' | 'accountCall' | 'mcp'>,
): ExampleCall | undefined {
  const path = provider.mcp === null ? EXAMPLES[provider.id] : undefined;
  return path === undefined ? (provider.accountCall ?? undefined) : { method: 'GET', path };
}

/** A path to begin with by GET; the root of the API where none is known. */
export function useExamplePath(providerId: string | undefined): string {
  const provider = useProvider(providerId);
  const call = provider && findExampleCall(provider);
  return call?.method === 'GET' ? call.path : '/';
}
