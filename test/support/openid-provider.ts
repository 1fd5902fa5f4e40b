import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import jwt from 'jsonwebtoken';
import { closeServer, listen } from './listen.ts';

type Claims = Record<string, unknown>;
type Answer = { readonly status?: number; readonly body: string };

export type OpenIdProvider = Awaited<ReturnType<typeof startOpenIdProvider>>;

const SECONDS = 1000;

/**
 * An OpenID provider whose answers the test spoils one by one: `claims` changes the ID token, `answer` whole answers by path.
 * Its one user is signed in already: `authorize` is what their browser gets.
 */
export async function startOpenIdProvider() {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const others = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const answers = new Map<string, Answer>();
  const forms: URLSearchParams[] = [];
  let nonce = '';
  let origin = '';
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'POST') forms.push(new URLSearchParams(await text(request)));
    const { status = 200, body } = answers.get(pathname) ?? { body: JSON.stringify(documentAt(pathname)) };
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }

  function documentAt(pathname: string): unknown {
    if (pathname === '/jwks')
      return {
        keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
      };
    if (pathname === '/token')
      return { access_token: 'access', token_type: 'Bearer', expires_in: 60, id_token: provider.sign() };
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  const provider = {
    clientId: 'gateway',
    clientSecret: 'secret-of-the-openid-client',
    forms,
    /** Of ID tokens from now on; undefined takes a claim out. */
    claims: {} as Claims,
    signsWithAnotherKey: false,
    get origin() {
      return origin;
    },
    answer: (path: string, answer: Answer) => void answers.set(path, answer),
    mend(): void {
      answers.clear();
      provider.claims = {};
      provider.signsWithAnotherKey = false;
    },
    sign(): string {
      const now = Math.floor(Date.now() / SECONDS);
      const usual = { iss: origin, aud: provider.clientId, sub: 'mia', iat: now, exp: now + 300, nonce };
      const payload = Object.fromEntries(
        Object.entries({ ...usual, ...provider.claims }).filter(([, value]) => value !== undefined),
      );
      const { privateKey } = provider.signsWithAnotherKey ? others : keys;
      return jwt.sign(payload, privateKey, { algorithm: 'RS256', keyid: 'one' });
    },
    /** Where the browser goes on to that came with this request. */
    authorize(location: string, changes: Record<string, string | undefined> = {}): string {
      const asked = new URL(location).searchParams;
      nonce = asked.get('nonce') ?? '';
      const back = new URL(asked.get('redirect_uri') ?? '');
      const answered = { code: 'code', state: asked.get('state') ?? '', iss: origin, ...changes };
      for (const [name, value] of Object.entries(answered))
        if (value !== undefined) back.searchParams.set(name, value);
      return back.href;
    },
    close: () => closeServer(server),
  };
  origin = `http://127.0.0.1:${await listen(server)}`;
  return provider;
}
