import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './addresses.ts';

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 64 * 1024;

export type OutboundErrorKind =
  | 'invalid_url'
  | 'refused_address'
  | 'network'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'aborted';

/** A call that brought no complete answer. Its message names the origin at most: paths and queries may hold secrets. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly kind: OutboundErrorKind;
  /** True when the request had been handed to a connection, so that the server may have acted on it. */
  readonly mayHaveBeenProcessed: boolean;

  constructor(kind: OutboundErrorKind, message: string, mayHaveBeenProcessed: boolean) {
    super(message);
    this.kind = kind;
    this.mayHaveBeenProcessed = mayHaveBeenProcessed;
  }
}

export type OutboundRequest = {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** For the whole exchange, name resolution included. Default 10 s. */
  readonly timeoutMs?: number;
  /** Default 64 KiB. */
  readonly responseBytesMax?: number;
  readonly signal?: AbortSignal;
};

export type OutboundResponse = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type Outbound = {
  /** One request, one whole answer. Redirects are answers like any other. Rejects with OutboundError only. */
  request(request: OutboundRequest): Promise<OutboundResponse>;
};

/** Resolves a name to all its addresses, as `dns.lookup` does. */
export type ResolveHost = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export type OutboundOptions = {
  /** Lets calls go over http and to loopback and private addresses. For development. */
  readonly allowPrivateNetworks: boolean;
  readonly resolveHost?: ResolveHost;
};

/**
 * Calls to addresses that somebody else chose (token endpoints, destinations, key sets), each bounded in time and
 * size. Every resolved address is judged when the connection is made and the judged ones are connected to, so that
 * a name that changes its answer (DNS rebinding) gains nothing.
 * Connections are not kept: a request on a connection that the server is closing would leave open whether a one-use
 * token has been spent.
 */
export function createOutbound(options: OutboundOptions): Outbound {
  const lookup = options.allowPrivateNetworks ? undefined : guarded(options.resolveHost ?? resolveAll);
  const settings: Settings = { ...(lookup && { lookup }), agent: false };

  return {
    async request(request) {
      const url = URL.parse(request.url);
      const refusal = refusalOf(url, options.allowPrivateNetworks);
      if (url === null || refusal !== undefined) throw refusal ?? invalidUrl();
      return exchange(url, request, settings);
    },
  };
}

const resolveAll: ResolveHost = (hostname, options, callback) => dnsLookup(hostname, options, callback);

function refusalOf(url: URL | null, allowPrivateNetworks: boolean): OutboundError | undefined {
  const isWeb = url?.protocol === 'https:' || (allowPrivateNetworks && url?.protocol === 'http:');
  if (url === null || !isWeb || url.username !== '' || url.password !== '') return invalidUrl();
  // A literal address is never looked up, so it is judged here.
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (allowPrivateNetworks || isIP(literal) === 0 || isPublicAddress(literal)) return undefined;
  return new OutboundError('refused_address', `${url.origin}: the address is not public`, false);
}

function invalidUrl(): OutboundError {
  return new OutboundError('invalid_url', 'not an https address without user and password', false);
}

const REFUSED = 'ERR_REFUSED_ADDRESS';

function guarded(resolveHost: ResolveHost): LookupFunction {
  return (hostname, options, callback) => {
    resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(Object.assign(new Error('The address is not public'), { code: REFUSED }), '');
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

type Settings = Pick<https.RequestOptions, 'lookup' | 'agent'>;

function exchange(url: URL, request: OutboundRequest, settings: Settings): Promise<OutboundResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>();
  const client = url.protocol === 'https:' ? https : http;
  const message = client.request(url, {
    ...settings,
    method: request.method ?? 'GET',
    headers: headersOf(request),
  });
  let sent = false;
  const fail = (kind: OutboundErrorKind, reason: string) => {
    reject(new OutboundError(kind, `${url.origin}: ${reason}`, sent));
    message.destroy();
  };
  const timeoutMs = request.timeoutMs ?? TIMEOUT_MS;
  const timer = setTimeout(() => fail('timeout', `no complete answer within ${timeoutMs} ms`), timeoutMs);
  const onAbort = () => fail('aborted', 'the caller gave up');
  message.on('socket', (socket) => {
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      sent = true;
    });
  });
  message.on('error', (error) => fail(kindOf(error), codeOf(error)));
  message.on('upgrade', () => fail('network', 'an upgrade that nobody asked for'));
  message.on('response', (response) => {
    collect(response, request.responseBytesMax ?? RESPONSE_BYTES_MAX, { resolve, fail });
  });
  request.signal?.addEventListener('abort', onAbort, { once: true });
  if (request.signal?.aborted) onAbort();
  else message.end(request.body);
  return promise.finally(() => {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', onAbort);
  });
}

function headersOf({ headers, body }: OutboundRequest): Record<string, string> {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  // Compressed answers would need a second size limit.
  return { 'Accept-Encoding': 'identity', 'User-Agent': 'integration-gateway', ...headers, ...length };
}

type Outcome = {
  resolve(response: OutboundResponse): void;
  fail(kind: OutboundErrorKind, reason: string): void;
};

function collect(response: IncomingMessage, bytesMax: number, { resolve, fail }: Outcome): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) fail('too_large', `the answer is larger than ${bytesMax} bytes`);
    else chunks.push(chunk);
  });
  response.on('end', () => {
    resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
  });
  response.on('error', (error) => fail('network', codeOf(error)));
}

function kindOf(error: Error): OutboundErrorKind {
  const code = codeOf(error);
  if (code === REFUSED) return 'refused_address';
  const isTls = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO/.test(code);
  return isTls ? 'tls' : 'network';
}

/** The code alone: messages of Node's name addresses, and those of the parser quote what was received. */
function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : 'connection failed';
}
