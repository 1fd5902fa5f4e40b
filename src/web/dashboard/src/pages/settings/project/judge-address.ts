/** How an address differs from the entry that is nearest to it. */
export type Difference = 'scheme' | 'host' | 'port' | 'slash' | 'query' | 'path' | 'case';

export type OriginVerdict =
  | { readonly is: 'entry'; readonly entry: string }
  | { readonly is: 'gateway' }
  | { readonly is: 'refused'; readonly origin: string; readonly nearest: Nearest | undefined };

export type ReturnVerdict =
  | { readonly is: 'entry'; readonly entry: string }
  | { readonly is: 'fragment' }
  | { readonly is: 'refused'; readonly nearest: Nearest | undefined };

export type Nearest = { readonly entry: string; readonly why: Difference };

/** The address of a page, or undefined where it is no absolute http(s) URL. */
export function readAddress(text: string): URL | undefined {
  const url = URL.parse(text.trim());
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Whether the page may call the gateway: browsers send its origin, which is compared byte for byte. */
export function judgeOrigin(page: URL, entries: readonly string[], ownOrigin: string): OriginVerdict {
  const { origin } = page;
  if (origin === ownOrigin) return { is: 'gateway' };
  if (entries.includes(origin)) return { is: 'entry', entry: origin };
  const nearest = nearestOf(entries, (entry) => differenceOfOrigins(page, new URL(entry)));
  return { is: 'refused', origin, nearest };
}

/** Whether users may be returned to the address: it must be an entry exactly as it is written. */
export function judgeReturnUrl(text: string, entries: readonly string[]): ReturnVerdict {
  const address = text.trim();
  if (entries.includes(address)) return { is: 'entry', entry: address };
  if (address.includes('#')) return { is: 'fragment' };
  return { is: 'refused', nearest: nearestOf(entries, (entry) => differenceOfUrls(address, entry)) };
}

const NEARNESS: readonly Difference[] = ['case', 'slash', 'query', 'scheme', 'port', 'path'];

function nearestOf(
  entries: readonly string[],
  compare: (entry: string) => Difference | undefined,
): Nearest | undefined {
  const found = entries.flatMap((entry) => {
    const why = compare(entry);
    return why === undefined ? [] : [{ entry, why }];
  });
  return found.toSorted((one, other) => NEARNESS.indexOf(one.why) - NEARNESS.indexOf(other.why))[0];
}

function differenceOfOrigins(page: URL, entry: URL): Difference | undefined {
  if (page.hostname !== entry.hostname) return undefined;
  return page.protocol === entry.protocol ? 'port' : 'scheme';
}

function differenceOfUrls(address: string, entry: string): Difference | undefined {
  if (address.toLowerCase() === entry.toLowerCase()) return 'case';
  if (trimSlash(address) === trimSlash(entry)) return 'slash';
  const [one, other] = [readAddress(address), readAddress(entry)];
  if (one === undefined || other === undefined || one.hostname !== other.hostname) return undefined;
  if (one.protocol !== other.protocol) return 'scheme';
  if (one.port !== other.port) return 'port';
  return one.pathname === other.pathname ? 'query' : 'path';
}

function trimSlash(text: string): string {
  return text.replace(/\/$/, '');
}
