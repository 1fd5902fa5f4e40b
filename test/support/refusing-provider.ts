import { createServer, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { closeServer, listen } from './listen.ts';

type Refusal = {
  readonly status: number;
  readonly type: string;
  readonly body: string;
};

const json = (status: number, body: unknown): Refusal => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
});

const UNAUTHORIZED = json(401, { error: 'unauthorized', error_description: 'the key was deleted' });

/** How each kind of provider refuses a credential that is at an end. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  enveloped: json(200, { ok: false, error: 'token_revoked' }),
  storage: {
    status: 403,
    type: 'application/xml',
    body: '<?xml version="1.0"?><Error><Code>InvalidAccessKeyId</Code><Message>gone</Message></Error>',
  },
};

export const REFUSED_KINDS = ['keyed', 'paired', 'tokened', 'enveloped', 'storage', 'token-based'] as const;
export type RefusedKind = (typeof REFUSED_KINDS)[number] | 'unprovable';

export type RefusingProvider = Awaited<ReturnType<typeof startRefusingProvider>>;

/** A provider of several kinds whose credentials end without a word, and whose calls may fail in other ways. */
export async function startRefusingProvider() {
  const dead = new Set<string>();
  const probes = new Map<string, number>();
  /** What `/<kind>/fails` answers. */
  let failure: Refusal = json(500, {});

  const server = createServer((request, response) => {
    const [, kind = '', place = ''] = /^\/([^/?]+)\/?([^?]*)/.exec(request.url ?? '') ?? [];
    request.resume();
    if (place === 'probe') probes.set(kind, (probes.get(kind) ?? 0) + 1);
    const isCompressed = /gzip/.test(request.headers['accept-encoding'] ?? '');
    if (dead.has(kind)) return send(response, REFUSALS[kind] ?? UNAUTHORIZED, isCompressed);
    if (place === 'fails') return send(response, failure);
    send(response, json(200, { ok: true, id: kind }));
  });

  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    /** Kinds whose credentials are at an end. */
    dead,
    probesOf: (kind: string): number => probes.get(kind) ?? 0,
    failWith(status: number, body: unknown = { error: 'no' }): void {
      failure = json(status, body);
    },
    close: () => closeServer(server),
  };
}

function send(response: ServerResponse, { status, type, body }: Refusal, isCompressed = false): void {
  const coding = isCompressed ? { 'content-encoding': 'gzip' } : {};
  response.writeHead(status, { 'content-type': type, ...coding });
  response.end(isCompressed ? gzipSync(body) : body);
}

/** The files of its kinds, by id. */
export function refusingProviderFiles(url: string): Record<RefusedKind, string> {
  const head = (id: string, auth: string, more: string) =>
    `id: ${id}\nname: Provider ${id}\nauth: ${auth}\napiBaseUrl: ${url}/${id}\n${more}`;
  const probe = (id: string, more = '') => `probe: { url: "${url}/${id}/probe"${more} }\n`;
  const oauth = `authorizationUrl: ${url}/authorize\ntokenUrl: ${url}/token\n`;
  return {
    keyed: head(
      'keyed',
      'api-key',
      `apiKey: { in: header, name: X-Key, template: '{apiKey}' }\n${probe('keyed')}`,
    ),
    paired: head('paired', 'basic', probe('paired')),
    tokened: head('tokened', 'oauth2', `${oauth}${probe('tokened')}`),
    enveloped: head(
      'enveloped',
      'oauth2',
      `${oauth}${probe('enveloped', ', refusedWhen: { path: error, values: [token_revoked] }')}callRefused: { status: 200, path: error, values: [token_revoked, account_inactive] }\n`,
    ),
    storage: head(
      'storage',
      'aws-sigv4',
      `awsSigV4: { service: s3, region: eu-west-1 }
variables:
  accessKeyId: { title: Key id }
  secretAccessKey: { title: Key, secret: true }
${probe('storage', ', refused: [403]')}callRefused: { status: 403, path: Code, values: [InvalidAccessKeyId] }
`,
    ),
    'token-based': head(
      'token-based',
      'oauth1',
      `oauth1: { signatureMethod: HMAC-SHA256, token: '{tokenId}', tokenSecret: '{tokenSecret}' }
variables:
  tokenId: { title: Token ID }
  tokenSecret: { title: Token secret, secret: true }
${probe('token-based')}`,
    ),
    unprovable: head(
      'unprovable',
      'api-key',
      `apiKey: { in: header, name: X-Key, template: '{apiKey}' }\nnoProbe: Nothing proves it.\n`,
    ),
  };
}

/** What an import of each kind brings. */
export const REFUSED_CREDENTIALS: Readonly<Record<RefusedKind, object>> = {
  keyed: { apiKey: 'key' },
  paired: { username: 'user', password: 'pass' },
  tokened: { accessToken: 'token' },
  enveloped: { accessToken: 'token' },
  storage: { variables: { accessKeyId: 'AKIA', secretAccessKey: 'secret' } },
  'token-based': { variables: { tokenId: 'id', tokenSecret: 'secret' } },
  unprovable: { apiKey: 'key' },
};
