import { lookup } from 'node:dns/promises';
import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import { resolveUrl } from '../src/catalog/facts/resolve-url.ts';
import type { Provider } from '../src/catalog/schema/provider.schema.ts';
import { isRecord } from '../src/lib/is-record.ts';
import { judgeDocument } from './live/judge-document.ts';
import { wrongCredential } from './live/wrong-credential.ts';

/** What was asked of a provider, and what it showed. `differs`: a fact of the entry no longer holds. */
export type LiveCheck = {
  readonly provider: string;
  readonly check:
    | 'authorization'
    | 'token'
    | 'discovery'
    | 'keys'
    | 'api-host'
    | 'refusal'
    | 'document'
    | 'end';
  readonly outcome: 'ok' | 'differs' | 'unreachable' | 'skipped';
  readonly url: string;
  readonly detail: string;
};

export type LiveLimits = {
  /** For one request. */
  readonly timeoutMs: number;
  /** Between two requests to one host. */
  readonly pauseMs: number;
  /** Providers that are asked side by side. */
  readonly concurrency: number;
};

const USER_AGENT = 'integration-gateway-check-providers (public facts only)';
/** OpenAPI documents of large products have some megabytes. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
/** Statuses by which an address says that there is nothing. */
const GONE: ReadonlySet<number> = new Set([404, 410, 501]);
const REFUSED = [401, 403];
const CHECKS_OF_DISCOVERY = [
  ['authorization_endpoint', 'authorizationUrl'],
  ['token_endpoint', 'tokenUrl'],
  ['revocation_endpoint', 'revocationUrl'],
] as const;

type Ask = (url: string, init?: RequestInit) => Promise<Answer>;
type Answer = { readonly status: number; readonly body: string; readonly headers: Headers };

/**
 * Asks public addresses of providers whether the facts of their entries still hold: only a wrong credential is sent, a host
 * gets one request at a time, and every request has a time limit. `documents` are addresses of OpenAPI documents by provider.
 * Never rejects; what cannot be asked is `skipped`.
 */
export async function checkLive(
  providers: readonly Provider[],
  limits: LiveLimits,
  documents: ReadonlyMap<string, string> = new Map(),
): Promise<LiveCheck[]> {
  const ask = createPoliteAsk(limits);
  const side = pLimit(limits.concurrency);
  const checks = await Promise.all(
    providers.map((provider) => side(() => checkProvider(provider, ask, documents.get(provider.id)))),
  );
  return checks.flat();
}

/** The checks as lines of text, the ones to look at first. */
export function liveReport(checks: readonly LiveCheck[]): string {
  const order = ['differs', 'unreachable', 'ok', 'skipped'] as const;
  const lines = order.flatMap((outcome) =>
    checks
      .filter((check) => check.outcome === outcome && outcome !== 'skipped')
      .map(({ provider, check, url, detail }) => `${outcome}  ${provider}  ${check}  ${url}  ${detail}`),
  );
  const counts = order.map(
    (outcome) => `${checks.filter((check) => check.outcome === outcome).length} ${outcome}`,
  );
  return [...lines, counts.join(', ')].join('\n');
}

/** A request at a time for each host, with a pause after it. */
function createPoliteAsk({ timeoutMs, pauseMs }: LiveLimits): Ask {
  const turns = new Map<string, Promise<unknown>>();

  async function askNow(url: string, init: RequestInit): Promise<Answer> {
    const headers = { 'user-agent': USER_AGENT, accept: '*/*', ...init.headers };
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...init, headers, redirect: 'manual', signal });
    return { status: response.status, body: await readBounded(response), headers: response.headers };
  }

  return (url, init = {}) => {
    const { host } = new URL(url);
    const turn = (turns.get(host) ?? Promise.resolve()).then(() => askNow(url, init));
    turns.set(
      host,
      turn.catch(() => undefined).then(() => wait(pauseMs)),
    );
    return turn;
  };
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > BODY_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function checkProvider(
  provider: Provider,
  ask: Ask,
  document: string | undefined,
): Promise<LiveCheck[]> {
  if (provider.status === 'ended') return [];
  const page = addressOf(provider, provider.authorizationUrl);
  const token = addressOf(provider, provider.tokenUrl);
  const refusal = provider.probe?.url ?? provider.account?.request?.url;
  return [
    await checkAnswers(provider, 'authorization', page, ask, {}),
    await checkAnswers(provider, 'token', token, ask, { method: 'POST', body: new URLSearchParams() }),
    ...(await checkDiscovery(provider, page ?? token, ask)),
    ...(await checkDocument(provider, document, ask)),
    await checkHost(provider, addressOf(provider, provider.apiBaseUrl)),
    ...(await checkRefusal(provider, addressOf(provider, refusal), ask)),
  ];
}

/** The address with what the file itself says of its variables; undefined where only a user knows it. */
function addressOf(provider: Provider, template: string | undefined): string | undefined {
  if (template === undefined) return undefined;
  const known = provider.variables.flatMap(({ name, default: usual, options }) => {
    const value = usual ?? options?.[0]?.value;
    return value === undefined ? [] : [[name, value] as const];
  });
  const resolved = resolveUrl(template, provider, Object.fromEntries(known));
  return resolved.ok ? resolved.url : undefined;
}

function made(
  { id: provider }: Provider,
  check: LiveCheck['check'],
  url: string | undefined,
  [outcome, detail]: readonly [LiveCheck['outcome'], string],
): LiveCheck {
  return { provider, check, url: url ?? '', outcome, detail };
}

async function judged(
  provider: Provider,
  check: LiveCheck['check'],
  url: string | undefined,
  judge: (url: string) => Promise<readonly [LiveCheck['outcome'], string]>,
): Promise<LiveCheck> {
  if (url === undefined) return made(provider, check, url, ['skipped', 'no address that is known to all']);
  try {
    return made(provider, check, url, await judge(url));
  } catch (error) {
    return made(provider, check, url, ['unreachable', reasonOf(error)]);
  }
}

function checkAnswers(
  provider: Provider,
  check: 'authorization' | 'token',
  url: string | undefined,
  ask: Ask,
  init: RequestInit,
): Promise<LiveCheck> {
  return judged(provider, check, url, async (address) => {
    const { status } = await ask(address, init);
    if (GONE.has(status)) return ['differs', `answers ${status}`];
    return [status >= 500 ? 'unreachable' : 'ok', `answers ${status}`];
  });
}

function checkHost(provider: Provider, url: string | undefined): Promise<LiveCheck> {
  return judged(provider, 'api-host', url, async (address) => {
    const { hostname } = new URL(address);
    try {
      await lookup(hostname);
      return ['ok', 'resolves'];
    } catch (error) {
      const isUnknown = reasonOf(error) === 'ENOTFOUND';
      return [isUnknown ? 'differs' : 'unreachable', reasonOf(error)];
    }
  });
}

/** A call that proves credentials must refuse a wrong one as the file says; its answer also says whether it will end. */
async function checkRefusal(provider: Provider, url: string | undefined, ask: Ask): Promise<LiveCheck[]> {
  let end: readonly [LiveCheck['outcome'], string] | undefined;
  const refusal = await judged(provider, 'refusal', url, async (address) => {
    const { method = 'GET', body, refused = REFUSED } = provider.probe ?? {};
    const wrong = wrongCredential(provider, address);
    const init = method === 'POST' ? { method, body: JSON.stringify(body ?? {}) } : {};
    const { status, headers } = await ask(wrong.url, { ...init, headers: wrong.headers });
    end = readEnd(headers);
    if (refused.includes(status)) return ['ok', `answers ${status}`];
    if (status >= 500) return ['unreachable', `answers ${status}`];
    return ['differs', `answers ${status} to a wrong credential, not ${refused.join(' or ')}`];
  });
  return end === undefined ? [refusal] : [refusal, made(provider, 'end', url, end)];
}

/** RFC 8594 and RFC 9745: the provider says that a resource is going to end, or should not be used. */
function readEnd(headers: Headers): readonly [LiveCheck['outcome'], string] | undefined {
  const said = ['sunset', 'deprecation'].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [`${name}: ${value.slice(0, 100)}`];
  });
  return said.length === 0 ? undefined : ['differs', said.join('; ')];
}

async function checkDocument(provider: Provider, url: string | undefined, ask: Ask): Promise<LiveCheck[]> {
  if (url === undefined) return [];
  const check = await judged(provider, 'document', url, async (address) => {
    const { status, body } = await ask(address);
    return status === 200 ? judgeDocument(provider, body) : ['differs', `answers ${status}`];
  });
  return [check];
}

/** What the provider publishes of its endpoints (OpenID Connect Discovery 1.0, RFC 8414), where it publishes any. */
async function checkDiscovery(provider: Provider, page: string | undefined, ask: Ask): Promise<LiveCheck[]> {
  if (page === undefined) return [];
  const url = `${new URL(page).origin}/.well-known/openid-configuration`;
  const others = [`${new URL(page).origin}${OAUTH_METADATA}`, metadataOfBase(provider)];
  let published: Record<string, unknown> | undefined;
  const check = await judged(provider, 'discovery', url, async (address) => {
    for (const each of new Set([address, ...others])) {
      if (each === undefined || published !== undefined) continue;
      const { status, body } = await ask(each);
      published = status === 200 ? recordIn(body) : undefined;
    }
    if (published === undefined) return ['skipped', 'nothing is published'];
    const different = CHECKS_OF_DISCOVERY.flatMap(([member, field]) => {
      const theirs = published?.[member];
      const ours = addressOf(provider, provider[field]);
      return typeof theirs !== 'string' || ours === undefined || isSame(theirs, ours)
        ? []
        : [`${member} is ${theirs}`];
    });
    return different.length === 0 ? ['ok', 'agrees'] : ['differs', different.join('; ')];
  });
  const keys = published?.jwks_uri;
  if (typeof keys !== 'string' || URL.parse(keys)?.protocol === undefined) return [check];
  const ofKeys = await judged(provider, 'keys', keys, async (address) => {
    const { status, body } = await ask(address);
    const set = recordIn(body)?.keys;
    return status === 200 && Array.isArray(set) && set.length > 0
      ? ['ok', `${set.length} keys`]
      : ['differs', `answers ${status} without keys`];
  });
  return [check, ofKeys];
}

const OAUTH_METADATA = '/.well-known/oauth-authorization-server';

/** Some publish it at the host of their API. */
function metadataOfBase(provider: Provider): string | undefined {
  const base = addressOf(provider, provider.apiBaseUrl);
  return base === undefined ? undefined : `${new URL(base).origin}${OAUTH_METADATA}`;
}

function isSame(theirs: string, ours: string): boolean {
  const plain = (url: string) => url.replace(/\?.*$/, '').replace(/\/$/, '').toLowerCase();
  return plain(theirs) === plain(ours);
}

function recordIn(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The code of the failure underneath, such as ENOTFOUND, or its name. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (isRecord(cause) && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.name : 'unknown';
}
