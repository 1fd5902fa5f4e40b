import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import jwt, { type Algorithm, type JwtPayload } from 'jsonwebtoken';
import { closeServer, listen } from './listen.ts';

/** One request that came, as the provider read it. */
export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

type Answer = {
  readonly status?: number;
  readonly headers?: Record<string, string | string[]>;
  readonly body: unknown;
};

export type LoginProvider = Awaited<ReturnType<typeof startLoginProvider>>;

const PEM = { type: 'pkcs8', format: 'pem' } as const;

/** A key pair of a customer; the provider knows the public half alone. */
export function createRsaPair(modulusLength = 2048): { pem: string; publicKey: KeyObject } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
  return { pem: privateKey.export(PEM).toString(), publicKey };
}

/** The same on the curve P-256. */
export function createEcKey(): { pem: string; publicKey: KeyObject } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { pem: privateKey.export(PEM).toString(), publicKey };
}

/**
 * A provider at which the gateway logs in: a token endpoint that checks signature, claims, times and single use of
 * assertions, a log-in by password with sessions that it keeps itself, and an API that takes live tokens only.
 */
export async function startLoginProvider() {
  const sessions = new Map<string, { user: string; endsAtMs: number }>();
  const usedAssertions = new Set<string>();
  const requests: SeenRequest[] = [];
  const handlers = new Map<string, (request: SeenRequest) => Answer>();
  let issued = 0;

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const url = `http://127.0.0.1:${await listen(server)}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', url);
    const seen = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: await text(request),
    };
    requests.push(seen);
    const handler = handlers.get(`${seen.method} ${pathname}`) ?? (() => api(seen));
    const { status = 200, headers, body } = handler(seen);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  function api({ headers }: SeenRequest): Answer {
    const token = String(headers.authorization ?? headers['x-session'] ?? '').replace(/^Bearer /, '');
    const session = sessions.get(token);
    if (session === undefined || session.endsAtMs < Date.now())
      return { status: 401, body: { error: 'no session' } };
    return { body: { user: session.user, token } };
  }

  const provider = {
    url,
    requests,
    sessions,
    handlers,
    /** How long sessions live that are made from now on. */
    lifetimeSeconds: 3600,
    openSession(user: string): string {
      issued += 1;
      const token = `session-${issued}`;
      sessions.set(token, { user, endsAtMs: Date.now() + provider.lifetimeSeconds * 1000 });
      return token;
    },
    /** The claims of an assertion that is good, or why it is not. */
    judgeAssertion(
      assertion: string,
      expected: {
        readonly key: KeyObject;
        readonly alg: Algorithm;
        readonly kid?: string;
        readonly audience: string;
        readonly lifetimeSecondsMax: number;
        readonly isForOneUse?: boolean;
      },
    ): JwtPayload | string {
      const { key, alg, kid, audience, lifetimeSecondsMax } = expected;
      let claims: JwtPayload | string;
      try {
        const options = { algorithms: [alg], complete: true as const, ...(audience !== '' && { audience }) };
        const decoded = jwt.verify(
          assertion,
          createPublicKey(key.export({ type: 'spki', format: 'pem' })),
          options,
        );
        if (kid !== undefined && decoded.header.kid !== kid) return 'unknown key id';
        claims = decoded.payload;
      } catch (error) {
        return error instanceof Error ? error.message : 'not verified';
      }
      if (typeof claims === 'string') return 'no claims';
      const { iat = 0, exp = 0, jti } = claims;
      const now = Date.now() / 1000;
      if (exp - iat > lifetimeSecondsMax) return 'lives too long';
      if (iat > now + 1) return 'issued in the future';
      if (expected.isForOneUse) {
        if (jti === undefined || usedAssertions.has(jti)) return 'used before';
        usedAssertions.add(jti);
      }
      return claims;
    },
    close: () => closeServer(server),
  };
  return provider;
}

/** The form of a request. */
export function readForm({ body }: SeenRequest): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body));
}
