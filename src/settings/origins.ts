import { isLoopbackHost } from '../lib/loopback-hosts.ts';
import { ConfigurationError } from './configuration-error.ts';

/** The proxy's own origin; undefined where it shares `publicUrl`. Throws ConfigurationError. */
export function proxyUrlFrom(text: string | undefined, publicUrl: string): string | undefined {
  if (text === undefined) return undefined;
  const proxyUrl = originFrom('PROXY_URL', text);
  if (proxyUrl !== publicUrl) return proxyUrl;
  throw new ConfigurationError(
    'PROXY_URL: another origin than PUBLIC_URL, best on a host of its own; leave it out to share that one',
  );
}

/** The webhooks' own origin; undefined where it shares `publicUrl`. Throws ConfigurationError. */
export function webhookUrlFrom(
  text: string | undefined,
  others: { readonly publicUrl: string; readonly proxyUrl: string | undefined },
): string | undefined {
  if (text === undefined) return undefined;
  const webhookUrl = originFrom('WEBHOOK_URL', text);
  if (webhookUrl !== others.publicUrl && webhookUrl !== others.proxyUrl) return webhookUrl;
  throw new ConfigurationError(
    'WEBHOOK_URL: another origin than PUBLIC_URL and PROXY_URL, best on a host of its own; leave it out to share that of PUBLIC_URL',
  );
}

/** The origin that the text is. Throws ConfigurationError where it is none, or more than one. */
export function originFrom(variable: 'PUBLIC_URL' | 'PROXY_URL' | 'WEBHOOK_URL', text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fault = (expected: string) => new ConfigurationError(`${variable}: ${expected}`);
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw fault('an absolute http(s) URL');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw fault('no user name, query or fragment');
  }
  if (url.pathname !== '/') throw fault('no path: the gateway needs an origin of its own');
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw fault('https is required unless the host is localhost, 127.0.0.1 or [::1]');
  }
  return url.origin;
}
