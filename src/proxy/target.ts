/**
 * Reads the proxy's address from the raw request target, byte for byte. Express's route parameters are of no use here:
 * they are percent-decoded, matched without regard to case, and a lone `%` makes them throw.
 */

const PREFIX = '/projects/';
const SEGMENT = '/proxy/';

/** Printable ASCII without the fragment sign: everything else is not a URI (RFC 3986 section 2). */
const NOT_URI = /[^\x21-\x7e]|#/;

/**
 * What providers would rewrite in a path: backslashes, NUL, CR and LF, plain or encoded, and dot-segments (RFC 3986
 * section 5.2.4), also when their dots or slashes are encoded or a path parameter follows (`..;x`).
 */
const REWRITTEN_BY_PROVIDERS = /\\|%(?:00|0a|0d|5c)|(?:^|\/|%2f)(?:\.|%2e){1,2}(?=[/;]|%2f|%3b|$)/i;

/** Without one of these there is nothing to rewrite: most paths are done with one quick look. */
const HAS_SUCH_CHARACTERS = /[.%\\]/;

/**
 * The length that RFC 9110 section 4.1 asks every recipient to support, rounded up; it bounds the provider's part of
 * the target.
 */
const PROVIDER_TARGET_LENGTH_MAX = 8 * 1024;

/** Clients encode the colon of `custom:` or leave it: both are the same segment (RFC 3986 section 2.4). */
const ENCODED_COLON = /(?<=^custom)%3a/i;

/** Stands between a provider and one of its hosts. RFC 3986 section 2.3: encoded or not, it is the same. */
export const HOST_MARK = '~';
const ENCODED_MARK = /%7e/gi;

const PROVIDER_ID = /^[a-z0-9][a-z0-9:_-]{0,79}$/;

export type ProxyTarget = {
  readonly kind: 'proxy';
  /** In lower case, as the store writes it: UUIDs are compared without regard to case (RFC 9562 section 4). */
  readonly projectId: string;
  readonly provider: string;
  /** Name of a further API host (`dropbox~content`); undefined: the call is for the API base. */
  readonly host: string | undefined;
  /** `''` or what follows the provider, from its `/` on, untouched. */
  readonly rawPath: string;
  /** `''` or from the `?` on, untouched. */
  readonly rawQuery: string;
};

export type TargetReading =
  | ProxyTarget
  /** Not an address of the proxy: the rest of the app may have it. */
  | { readonly kind: 'other' }
  /** The project is known whenever the path has one, so that CORS can be answered. */
  | {
      readonly kind: 'refused';
      readonly projectId: string | undefined;
      readonly code: 'invalid_path' | 'uri_too_long';
      readonly detail: string;
    };

const OTHER: TargetReading = { kind: 'other' };

/**
 * Takes a request target apart. Absolute-form, authority-form and `*` are refused wherever they point: no part of
 * this server is addressed that way (RFC 9112 section 3.2 needs absolute-form only from proxies' clients).
 */
export function readTarget(requestTarget: string): TargetReading {
  if (requestTarget.charCodeAt(0) !== 0x2f) {
    return refused(undefined, 'The request target must be a path that starts with a slash.');
  }
  if (!requestTarget.startsWith(PREFIX)) return OTHER;
  const projectEnd = requestTarget.indexOf('/', PREFIX.length);
  if (projectEnd < 0 || !requestTarget.startsWith(SEGMENT, projectEnd)) return OTHER;
  const projectId = requestTarget.slice(PREFIX.length, projectEnd).toLowerCase();
  if (projectId.includes('?')) return OTHER;

  const rest = requestTarget.slice(projectEnd + SEGMENT.length);
  const queryStart = rest.indexOf('?');
  const pathEnd = queryStart < 0 ? rest.length : queryStart;
  const slash = rest.indexOf('/');
  const providerEnd = slash < 0 || slash > pathEnd ? pathEnd : slash;
  const rawPath = rest.slice(providerEnd, pathEnd);
  if (rest.length - providerEnd > PROVIDER_TARGET_LENGTH_MAX) {
    const detail = `Path and query for the provider are longer than ${PROVIDER_TARGET_LENGTH_MAX} bytes.`;
    return { kind: 'refused', projectId, code: 'uri_too_long', detail };
  }
  if (NOT_URI.test(rest)) {
    return refused(projectId, 'The URL holds a space, a control character, a byte outside ASCII or a `#`.');
  }
  if (HAS_SUCH_CHARACTERS.test(rawPath) && REWRITTEN_BY_PROVIDERS.test(rawPath)) {
    return refused(projectId, 'The path holds a dot-segment, a backslash, or an encoded NUL, CR or LF.');
  }
  const segment = withoutEncoding(rest.slice(0, providerEnd));
  const hostStart = segment.indexOf(HOST_MARK);
  return {
    kind: 'proxy',
    projectId,
    provider: hostStart < 0 ? segment : segment.slice(0, hostStart),
    host: hostStart < 0 ? undefined : segment.slice(hostStart + 1),
    rawPath,
    rawQuery: queryStart < 0 ? '' : rest.slice(queryStart),
  };
}

function withoutEncoding(segment: string): string {
  if (!segment.includes('%')) return segment;
  return segment.replace(ENCODED_COLON, ':').replaceAll(ENCODED_MARK, HOST_MARK);
}

/** True for what can be a catalog id, `custom:` ones included; anything else is unknown without a look-up. */
export function isProviderId(segment: string): boolean {
  return PROVIDER_ID.test(segment);
}

function refused(projectId: string | undefined, detail: string): TargetReading {
  return { kind: 'refused', projectId, code: 'invalid_path', detail };
}
