import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { closeServer, listen } from '../../test/support/listen.ts';

/** A call as it arrived at a provider's host. */
export type ApiCall = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** `body` goes out as it is when it is text or bytes, else as JSON. */
export type ApiAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** One host of a provider: what it takes for a good credential, and what it answers. */
export type ProviderApi = {
  readonly host: string;
  /** The real credential stands where this provider wants it, and nowhere else. */
  readonly isAuthorized: (headers: IncomingHttpHeaders) => boolean;
  /** The provider's own refusal of a wrong credential. */
  readonly unauthorized: ApiAnswer;
  /** Answers by `METHOD /path`. */
  readonly routes: Readonly<Record<string, (call: ApiCall) => ApiAnswer | Promise<ApiAnswer>>>;
  /** The provider's own answer to a path that it does not have. */
  readonly notFound: ApiAnswer;
};

export type ProviderApis = {
  /** Address under which a host is found here: the origin, then the host as the first segment of the path. */
  readonly urlOf: (host: string) => string;
  /** Every call, oldest first. */
  readonly calls: readonly (ApiCall & { readonly host: string })[];
  /** Calls that carried something that looks like a user's JWT in line, header or body. */
  readonly strayTokens: readonly string[];
  readonly close: () => Promise<void>;
};

const JWT = /eyJ[\w-]+\.[\w-]+\.[\w-]+/;

/** Providers' hosts on one server. `apisAt` gets the way to their addresses, since some answers contain addresses. */
export async function startProviderApis(
  apisAt: (urlOf: ProviderApis['urlOf']) => readonly ProviderApi[],
): Promise<ProviderApis> {
  const calls: (ApiCall & { host: string })[] = [];
  const strayTokens: string[] = [];
  const server = createServer((request, response) => {
    take(request)
      .then((answer) => send(response, answer))
      .catch((error) => response.destroy(error));
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const urlOf = (host: string) => `${url}/${host}`;
  const apis = new Map(apisAt(urlOf).map((api) => [api.host, api]));

  async function take(request: IncomingMessage): Promise<ApiAnswer> {
    const { host, call } = await readCall(request);
    calls.push({ host, ...call });
    const text = [request.url, ...request.rawHeaders, call.body.toString('latin1'), basicPairOf(call)];
    if (text.some((part) => JWT.test(part ?? ''))) strayTokens.push(`${call.method} ${host}${call.path}`);
    const api = apis.get(host);
    if (api === undefined) return { status: 421, body: `no such host: ${host}` };
    if (!api.isAuthorized(call.headers)) return api.unauthorized;
    return api.routes[`${call.method} ${call.path}`]?.(call) ?? api.notFound;
  }

  return { urlOf, calls, strayTokens, close: () => closeServer(server) };
}

async function readCall(request: IncomingMessage): Promise<{ host: string; call: ApiCall }> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://provider.test');
  const [, host = '', ...segments] = pathname.split('/');
  const { method = '', headers } = request;
  const body = await buffer(request);
  return { host, call: { method, path: `/${segments.join('/')}`, query: searchParams, headers, body } };
}

/** The pair inside Basic, which hides a token from a plain look. */
function basicPairOf({ headers }: ApiCall): string {
  const encoded = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString('utf8');
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: ApiAnswer): void {
  const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  response.writeHead(status, { ...(isJson && { 'content-type': 'application/json' }), ...headers });
  response.end(isJson ? JSON.stringify(body) : body);
}
