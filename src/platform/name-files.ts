import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/** How long a file is trusted before it is looked at again. */
const CHECK_INTERVAL_MS = 5_000;
/** More than any hosts file that a person keeps; the rest of a larger one is ignored. */
const BYTES_MAX = 1024 * 1024;

/**
 * What a small system file says, read again after it has changed. A file that is missing or cannot be read is an empty
 * one. Synchronous on purpose: an asynchronous read waits for libuv's threads, which must not delay a look-up.
 */
export function watchFile<T>(path: string, parse: (text: string) => T, now: () => number): () => T {
  let version = '';
  let value = parse('');
  let checkAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (now() < checkAtMs) return value;
    checkAtMs = now() + CHECK_INTERVAL_MS;
    const found = versionOf(path);
    if (found !== version) {
      version = found;
      value = parse(found === '' ? '' : readText(path));
    }
    return value;
  };
}

/** Changes with the file; empty where there is none. */
function versionOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
}

function readText(path: string): string {
  try {
    return readFileSync(path).toString('utf8', 0, BYTES_MAX);
  } catch {
    return '';
  }
}

/** The addresses of each name in a hosts file (hosts(5)), in the order of the file. Names are in lower case. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').split(/\s+/).filter((word) => word !== '');
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const known = hosts.get(name.toLowerCase());
      if (known === undefined) hosts.set(name.toLowerCase(), [address]);
      else if (!known.includes(address)) known.push(address);
    }
  }
  return hosts;
}

export type SearchRules = { readonly domains: readonly string[]; readonly ndots: number };

/** The search list of a resolv.conf and its `ndots` (resolv.conf(5)). c-ares itself reads the name servers. */
export function parseSearchRules(text: string): SearchRules {
  let domains: readonly string[] = [];
  let ndots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...words] = line.trim().split(/\s+/);
    if (keyword === 'search' || keyword === 'domain') domains = words.map((word) => word.replace(/\.$/, ''));
    if (keyword !== 'options') continue;
    const option = words.findLast((word) => /^ndots:\d{1,2}$/.test(word));
    if (option !== undefined) ndots = Number(option.slice('ndots:'.length));
  }
  return { domains: domains.filter((domain) => domain !== ''), ndots };
}
