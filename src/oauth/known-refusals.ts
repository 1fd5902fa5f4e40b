import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { TokenFailure } from './token-outcome.ts';

/**
 * What an operator does about a refusal that is no fault of the credentials, in a sentence or two, with the address at
 * which a person consents; undefined where the file knows no such refusal.
 */
export function explainRefusal(
  provider: Pick<Provider, 'refusals' | 'variables'>,
  { errorCode, words = '' }: Pick<TokenFailure, 'errorCode' | 'words'>,
  values: Readonly<Record<string, string>>,
): string | undefined {
  const text = words.toLowerCase();
  const known = provider.refusals.find(
    ({ code, words: wanted }) =>
      code === errorCode && (wanted === undefined || text.includes(wanted.toLowerCase())),
  );
  if (known === undefined) return undefined;
  const url = known.consentUrl === undefined ? undefined : resolveUrl(known.consentUrl, provider, values);
  return url?.ok ? `${known.remedy} ${url.url}` : known.remedy;
}
