import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listen } from './listen.ts';

export const CONSUMER = { key: 'the consumer', secret: 'the&consumer secret' };

type Token = { readonly key: string; readonly secret: string; callback?: string; verifier?: string };

/** A provider of OAuth 1.0a that judges every signature by RFC 5849, written apart from the gateway's signer. */
export async function startOAuth1Server() {
  const faults: string[] = [];
  const calls: { method: string; target: string; authorization: string }[] = [];
  const nonces = new Set<string>();
  const temporary = new Map<string, Token>();
  const issued = new Map<string, Token>();
  let origin = '';

  const server = createServer((request, response) => void serve(request, response));

  /** The oauth parameters of a request that is signed well; otherwise its fault is kept and it is refused. */
  async function judge(request: IncomingMessage, tokens?: ReadonlyMap<string, Token>, body = '') {
    const authorization = request.headers.authorization ?? '';
    const oauth = parametersIn(authorization);
    const token = tokens?.get(oauth.oauth_token ?? '');
    const url = new URL(request.url ?? '/', origin);
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    const sent = [...url.searchParams, ...(isForm ? new URLSearchParams(body) : [])];
    const { oauth_signature: signature, ...signed } = oauth;
    const base = baseStringOf(request.method ?? '', url, [...Object.entries(signed), ...sent]);
    const expected = signatureOf(oauth.oauth_signature_method, base, CONSUMER.secret, token?.secret ?? '');
    const fault =
      (oauth.oauth_consumer_key !== CONSUMER.key && 'another consumer') ||
      (tokens !== undefined && token === undefined && 'an unknown token') ||
      (nonces.has(oauth.oauth_nonce ?? '') && 'a nonce that was used before') ||
      (Math.abs(Date.now() / 1000 - Number(oauth.oauth_timestamp)) > 60 && 'another time') ||
      (expected !== signature && `another signature of ${base}`) ||
      undefined;
    nonces.add(oauth.oauth_nonce ?? '');
    if (fault !== undefined) faults.push(fault);
    return fault === undefined ? { oauth, token } : undefined;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    const form = (values: Record<string, string>) => response.end(new URLSearchParams(values).toString());
    if (pathname === '/request_token') {
      const judged = await judge(request);
      if (judged === undefined) return void response.writeHead(401).end();
      const made = { key: randomBytes(8).toString('hex'), secret: randomBytes(8).toString('hex') };
      temporary.set(made.key, { ...made, callback: judged.oauth.oauth_callback ?? '' });
      return void form({
        oauth_token: made.key,
        oauth_token_secret: made.secret,
        oauth_callback_confirmed: 'true',
      });
    }
    if (pathname === '/authorize') {
      const token = temporary.get(searchParams.get('oauth_token') ?? '');
      if (token === undefined) return void response.writeHead(400).end();
      token.verifier = randomBytes(8).toString('hex');
      const callback = new URL(token.callback ?? '');
      callback.searchParams.set('oauth_token', token.key);
      callback.searchParams.set('oauth_verifier', token.verifier);
      return void response.writeHead(302, { Location: callback.href }).end();
    }
    if (pathname === '/access_token') {
      const judged = await judge(request, temporary);
      if (judged?.token === undefined || judged.oauth.oauth_verifier !== judged.token.verifier)
        return void response.writeHead(401).end();
      temporary.delete(judged.token.key);
      const made = { key: `user-${randomBytes(8).toString('hex')}`, secret: randomBytes(8).toString('hex') };
      issued.set(made.key, made);
      return void form({
        oauth_token: made.key,
        oauth_token_secret: made.secret,
        user_id: '42',
        screen_name: 'mia',
      });
    }
    calls.push({
      method: request.method ?? '',
      target: request.url ?? '',
      authorization: request.headers.authorization ?? '',
    });
    const judged = await judge(request, issued, body);
    response.writeHead(judged === undefined ? 401 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ id: 'account-7', body }));
  }

  const port = await listen(server);
  origin = `http://127.0.0.1:${port}`;
  return {
    url: origin,
    faults,
    calls,
    /** A token that its user copies, as NetSuite has it. */
    issue: (token: Token) => issued.set(token.key, token),
    close: () => closeServer(server),
  };
}

function parametersIn(authorization: string): Record<string, string> {
  const pairs = [...authorization.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name,
    decodeURIComponent(value),
  ]);
  const { realm: _realm, ...oauth } = Object.fromEntries(pairs);
  return oauth;
}

const encode = (plain: string) =>
  encodeURIComponent(plain).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function baseStringOf(method: string, { origin, pathname }: URL, parameters: string[][]): string {
  const normalized = parameters
    .map(([name = '', value = '']) => `${encode(name)}=${encode(value)}`)
    .sort((a, b) => (a.replace('=', '\0') < b.replace('=', '\0') ? -1 : 1))
    .join('&');
  return [method.toUpperCase(), origin + pathname, normalized].map(encode).join('&');
}

function signatureOf(method: string | undefined, base: string, ...secrets: string[]): string {
  const key = secrets.map(encode).join('&');
  if (method === 'PLAINTEXT') return key;
  const hash = method === 'HMAC-SHA256' ? 'sha256' : 'sha1';
  return createHmac(hash, key).update(base).digest('base64');
}
