import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { fillCallTemplate } from '../lib/call-template.ts';
import { parseExactJson } from '../lib/exact-json.ts';
import { isQuickToParse } from '../lib/json-bounds.ts';
import { readPath, toFilledText } from '../lib/json-path.ts';
import { type Outbound, OutboundError } from '../platform/outbound.ts';

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 1024 * 1024;
/** With a hundred in a page, more than any person administers. */
const PAGES_MAX = 10;

/**
 * Whether an installation is among those of the user whose token is given: its id came through the browser, where the
 * user may have changed it (docs.github.com, "About the setup URL"). `unknown`: the provider gave no readable answer.
 */
export async function findInstallation(
  deps: { readonly outbound: Outbound },
  provider: Provider,
  values: Readonly<Record<string, string>>,
  userToken: string,
): Promise<'theirs' | 'foreign' | 'unknown'> {
  const { installation } = provider;
  const wanted = installation && values[installation.variable];
  if (installation === undefined || wanted === undefined) return 'foreign';
  const { list } = installation;
  const url = resolveUrl(list.url, provider, values);
  if (!url.ok) return 'unknown';
  const lookUp = (name: string) => (name === 'accessToken' ? userToken : values[name]);
  const headers = Object.fromEntries(
    Object.entries(list.headers).map(([name, template]) => [
      name,
      fillCallTemplate(template, { lookUp, nowMs: Date.now() }) ?? '',
    ]),
  );
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const address = new URL(url.url);
    address.searchParams.set(list.pageParameter, String(page));
    const items = await readItems(deps.outbound, address.href, headers, list.itemsPath);
    if (items === undefined) return 'unknown';
    if (items.some((item) => toFilledText(readPath(item, list.id)) === wanted)) return 'theirs';
    if (items.length === 0) return 'foreign';
  }
  return 'foreign';
}

async function readItems(
  outbound: Outbound,
  url: string,
  headers: Record<string, string>,
  itemsPath: string,
): Promise<readonly unknown[] | undefined> {
  try {
    const limits = { timeoutMs: TIMEOUT_MS, responseBytesMax: RESPONSE_BYTES_MAX };
    const usual = { Accept: 'application/json' };
    const { status, body } = await outbound.request({ url, headers: { ...usual, ...headers }, ...limits });
    if (status !== 200) return undefined;
    const text = body.toString('utf8');
    const items = readPath(isQuickToParse(text) ? parseExactJson(text) : undefined, itemsPath);
    return Array.isArray(items) ? items : undefined;
  } catch (error) {
    if (error instanceof OutboundError) return undefined;
    throw error;
  }
}
