/** `private` without field names, or the stricter `no-store`: no shared cache keeps the answer. */
const KEEPS_PRIVATE: ReadonlySet<string> = new Set(['private', 'no-store']);
/** They let a shared cache keep the answer to a request with `Authorization` (RFC 9111 section 3.5). */
const SHARES: ReadonlySet<string> = new Set(['public', 's-maxage']);

/** Most values need no parser. */
const MAY_SHARE_OR_QUOTES = /public|s-maxage|"/i;

/** A directive with its argument, which may be a quoted string with commas (RFC 9111 section 5.2, RFC 9110 section 5.6.4). */
const DIRECTIVES = /(?:"(?:[^"\\]|\\.)*"|[^",])+/g;

type CacheControlReading = {
  /** The value for the caller; empty when nothing of it may pass. */
  readonly kept: string;
  /** True when it keeps shared caches out by itself. */
  readonly isPrivate: boolean;
};

/** Takes out of a `Cache-Control` value of a provider what would let a shared cache keep the answer. */
export function removeSharedCaching(value: string): CacheControlReading {
  if (!MAY_SHARE_OR_QUOTES.test(value))
    return { kept: value, isPrivate: value.split(',').some(keepsPrivate) };
  // A string that does not end would swallow what follows the value.
  if (hasOpenQuote(value)) return { kept: '', isPrivate: false };
  const directives = value.match(DIRECTIVES) ?? [];
  const kept = directives.filter((directive) => !SHARES.has(nameOf(directive)));
  return {
    kept: kept.length === directives.length ? value : kept.join(',').trim(),
    isPrivate: kept.some(keepsPrivate),
  };
}

function keepsPrivate(directive: string): boolean {
  return KEEPS_PRIVATE.has(directive.trim().toLowerCase());
}

function nameOf(directive: string): string {
  const end = directive.indexOf('=');
  return (end < 0 ? directive : directive.slice(0, end)).trim().toLowerCase();
}

function hasOpenQuote(value: string): boolean {
  return value.replace(/"(?:[^"\\]|\\.)*"/g, '').includes('"');
}
