import { parse } from 'yaml';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { isRecord } from '../../src/lib/is-record.ts';

type Verdict = readonly ['ok' | 'differs' | 'skipped', string];

/** Whether the provider's OpenAPI document still has the API's host and the path of the probe. Pure. */
export function judgeDocument({ apiBaseUrl, probe }: Provider, text: string): Verdict {
  const document = readDocument(text);
  if (document === undefined) return ['differs', 'is no OpenAPI document'];
  const hosts = hostsOf(document);
  const host = hostOf(apiBaseUrl);
  if (hosts.length === 0 || host === undefined) return ['skipped', 'names no server'];
  if (!hosts.includes(host)) return ['differs', `its servers are ${hosts.slice(0, 5).join(', ')}`];
  const path = probe?.url === undefined || hostOf(probe.url) !== host ? undefined : pathOf(probe.url);
  const paths = isRecord(document.paths) ? Object.keys(document.paths) : [];
  if (path === undefined || paths.length === 0) return ['ok', 'has the host'];
  return paths.some((each) => endsAlike(path, each))
    ? ['ok', 'has the host and the probe']
    : ['differs', `has no ${path}`];
}

function readDocument(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = text.trimStart().startsWith('{') ? JSON.parse(text) : parse(text);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** OpenAPI 3 has servers, Swagger 2 one host. */
function hostsOf({ servers, host }: Record<string, unknown>): string[] {
  const urls = Array.isArray(servers) ? servers.map((each) => (isRecord(each) ? each.url : undefined)) : [];
  return [...urls, typeof host === 'string' ? `https://${host}` : undefined].flatMap((url) =>
    typeof url === 'string' ? (hostOf(url) ?? []) : [],
  );
}

function hostOf(url: string): string | undefined {
  return /^https?:\/\/([^/?#]+)/
    .exec(url)?.[1]
    ?.replaceAll(/\{[^}]*\}/g, '*')
    .toLowerCase();
}

function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]+/, '').replace(/[?#].*$/, '');
}

/** The document's paths follow its server's, which may have a part of ours. */
function endsAlike(ours: string, theirs: string): boolean {
  const plain = (path: string) => path.replace(/\/$/, '').replaceAll(/\{[^}]*\}/g, '*');
  return plain(ours).endsWith(plain(theirs)) && plain(theirs) !== '';
}
