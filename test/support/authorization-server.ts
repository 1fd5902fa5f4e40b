import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Provider as OidcProvider } from 'oidc-provider';
import { closeServer, listen } from './listen.ts';

const KEEP_ALIVE_MS = 3_600_000;

/** One request as a server saw it. */
export type SeenRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

export type EvilAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

export type EvilServer = {
  readonly origin: string;
  readonly port: number;
  readonly seen: readonly SeenRequest[];
  /** What the next requests are answered with; a function may also take the socket and do what it likes. */
  answer(next: EvilAnswer | ((request: SeenRequest, socket: Socket) => EvilAnswer | undefined)): void;
  close(): Promise<void>;
};

/** A token endpoint that answers anything at all. */
export async function startEvilServer(): Promise<EvilServer> {
  const seen: SeenRequest[] = [];
  let next: Parameters<EvilServer['answer']>[0] = { status: 500 };
  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => {
        const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
        seen.push(one);
        const answer = typeof next === 'function' ? next(one, request.socket) : next;
        if (answer !== undefined) send(response, answer);
      },
      () => response.destroy(),
    );
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    seen,
    answer(answer) {
      next = answer;
    },
    close: () => closeServer(server),
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, body = '' }: EvilAnswer): void {
  response.writeHead(status, headers);
  response.end(body);
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

export type AuthorizationServer = {
  readonly origin: string;
  readonly clientId: string;
  readonly clientSecret: string;
  close(): Promise<void>;
};

export type AuthorizationServerOptions = {
  readonly redirectUri: string;
  readonly accountId?: string;
  /** Of the account, by the scopes email and profile; asked for each time. */
  readonly claims?: () => Readonly<Record<string, unknown>>;
  readonly tokenEndpointAuth?: 'client_secret_basic' | 'client_secret_post';
  readonly clientSecret?: string;
  /** Further clients, with what they have otherwise than the first. */
  readonly moreClients?: readonly (Readonly<Record<string, unknown>> & { readonly client_id: string })[];
  /** Called for each grant that the token endpoint has executed, whether its answer arrives or not. */
  readonly onGrant?: (clientId: string, grantType: string) => void;
};

/**
 * A real OpenID provider (oidc-provider) that insists on PKCE, rotates refresh tokens, and signs its one user in and
 * agrees without a page: every authorization request comes back with a code.
 */
export async function startAuthorizationServer(
  options: AuthorizationServerOptions,
): Promise<AuthorizationServer> {
  const clientId = 'gateway-test-client';
  const clientSecret = options.clientSecret ?? 'secret: with a colon, a blank & a plus +';
  const accountId = options.accountId ?? 'account-1';
  let handle: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
    response.end();
  const server = createServer((request, response) => handle(request, response));
  // Else a busy machine has it close connections that a request is just about to take.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const provider = new OidcProvider(origin, configurationFor(options, { clientId, clientSecret }));
  provider.on('grant.success', ({ oidc }) => {
    options.onGrant?.(oidc?.client?.clientId ?? '', String(oidc?.params?.grant_type));
  });
  const callback = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    agree(provider, request, response, accountId).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  };
  return { origin, clientId, clientSecret, close: () => closeServer(server) };
}

function configurationFor(
  options: AuthorizationServerOptions,
  client: { clientId: string; clientSecret: string },
): ConstructorParameters<typeof OidcProvider>[1] {
  const first = {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    redirect_uris: [options.redirectUri],
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    response_types: ['code' as const],
    token_endpoint_auth_method: options.tokenEndpointAuth ?? ('client_secret_basic' as const),
  };
  return {
    clients: [first, ...(options.moreClients ?? []).map((other) => ({ ...first, ...other }))],
    cookies: { keys: ['test'] },
    scopes: ['openid', 'offline_access', 'contacts.read', 'contacts.write'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    ttl: {
      AccessToken: 3600,
      ClientCredentials: 600,
      Grant: 86400,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 86400,
      Session: 86400,
    },
    issueRefreshToken: async () => true,
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      introspection: { enabled: true },
      clientCredentials: { enabled: true },
    },
    interactions: {
      url: (_context: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}`,
    },
    findAccount: async (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub, ...options.claims?.() }),
    }),
  };
}

async function agree(
  provider: OidcProvider,
  request: IncomingMessage,
  response: ServerResponse,
  accountId: string,
): Promise<void> {
  const { params, prompt } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login')
    return provider.interactionFinished(request, response, { login: { accountId } });
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  grant.addOIDCScope(String(params.scope ?? ''));
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

/** A browser that keeps cookies per origin and follows redirects; answers the first address under `until`. */
export async function browse(start: string, until: string): Promise<string> {
  const jars = new Map<string, Map<string, string>>();
  let url = start;
  for (let hops = 0; hops < 15; hops += 1) {
    if (url.startsWith(until)) return url;
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      jar.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${response.status} ${await response.text()} at ${url}`);
    url = new URL(location, url).href;
  }
  throw new Error('too many redirects');
}
