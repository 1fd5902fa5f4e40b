import type { Provider } from '../../src/catalog/schema/provider.schema.ts';

/** What no provider can have issued. */
const WRONG = 'wrong-credential-of-integration-gateway-check';

/** The request with a credential that must be refused, where the entry puts its credential. */
export function wrongCredential(
  { auth, apiKey, accessTokenHeader }: Provider,
  address: string,
): { readonly url: string; readonly headers: Record<string, string> } {
  const basic = Buffer.from(`${WRONG}:${WRONG}`).toString('base64');
  if (auth === 'basic') return { url: address, headers: { authorization: `Basic ${basic}` } };
  if (auth !== 'api-key' || apiKey === undefined) {
    return { url: address, headers: { [accessTokenHeader.name]: fill(accessTokenHeader.template) } };
  }
  if (apiKey.in === 'header') return { url: address, headers: { [apiKey.name]: fill(apiKey.template) } };
  if (apiKey.in === 'path') return { url: address.replaceAll('{apiKey}', WRONG), headers: {} };
  const url = new URL(address);
  url.searchParams.set(apiKey.name, fill(apiKey.template));
  return { url: url.href, headers: {} };
}

function fill(template: string): string {
  return template.replaceAll(/\{[A-Za-z0-9_.]+\}/g, WRONG);
}
