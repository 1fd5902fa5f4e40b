import { type LookupAddress, type RecordWithTtl, Resolver } from 'node:dns';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import type { ResolveName } from './address-guard.ts';
import { parseHosts, parseSearchRules, type SearchRules, watchFile } from './name-files.ts';

/** A caller waits for so long at most; less than the usual limit for making a connection. */
const TIMEOUT_MS = 4_500;
/** c-ares asks again after this, and each further time after twice as long. */
const FIRST_TRY_MS = 1_000;
const TRIES = 3;
/** How long the addresses of one family wait for those of the other (RFC 8305 section 3). */
const OTHER_FAMILY_MS = 50;
const LOOKUPS_MAX = 512;
const LOOKUPS_PER_DOMAIN_MAX = 32;
const NAMES_MAX = 4_096;
const KEPT_MS_MAX = 300_000;
const KEPT_MS_MIN = 1_000;
const FAILURE_KEPT_MS = 5_000;

export type ResolverOptions = {
  /** Instead of the name servers of resolv.conf, `address:port`. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly resolvConf?: string;
  readonly timeoutMs?: number;
  /** Names asked for at the same time. */
  readonly lookupsMax?: number;
  /** The same for names that end in the same two labels. */
  readonly lookupsPerDomainMax?: number;
  /** Names whose addresses, or failure, are kept. */
  readonly namesMax?: number;
  readonly now?: () => number;
};

type Outcome =
  | { readonly ok: true; readonly addresses: readonly LookupAddress[]; readonly ttlMs: number }
  | { readonly ok: false; readonly code: string };

type Kept = { readonly outcome: Outcome; readonly untilMs: number; uses: number };
type Waiter = Parameters<ResolveName>[1];

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
const NOT_FOUND: Outcome = { ok: false, code: 'ENOTFOUND' };
const HOST_NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const HOST_NAME_LENGTH_MAX = 253;

/**
 * Finds the addresses of names by c-ares, which asks the name servers itself. `dns.lookup` would hold one of libuv's
 * few threads for each name without an answer, so that one dead name would block all calls: decision 0014. The hosts
 * file and the search list of resolv.conf count as they do for other programs; other sources of names (mDNS, NSS
 * modules) do not. Errors carry the code of `dns.resolve`; `EAI_AGAIN` where too many names are being asked for.
 * Answers that are in memory come at once, before the function returns; `createLookup` makes a `lookup` of it.
 */
export function createResolver(options: ResolverOptions = {}): ResolveName {
  const now = options.now ?? Date.now;
  const readHosts = watchFile(options.hostsFile ?? '/etc/hosts', parseHosts, now);
  const readConfiguration = watchFile(
    options.resolvConf ?? '/etc/resolv.conf',
    // A change of name servers reaches new resolvers only.
    (text) => ({ search: parseSearchRules(text), resolver: createAresResolver(options.servers) }),
    now,
  );
  const kept = new LRUCache<string, Kept>(entriesUpTo(options.namesMax ?? NAMES_MAX));
  const waiters = new Map<string, Waiter[]>();
  const admission = createAdmission(options);

  function settle(name: string, outcome: Outcome): void {
    const ttlMs = outcome.ok ? Math.min(Math.max(outcome.ttlMs, KEPT_MS_MIN), KEPT_MS_MAX) : FAILURE_KEPT_MS;
    const entry: Kept = { outcome, untilMs: now() + ttlMs, uses: 0 };
    kept.set(name, entry);
    const waiting = waiters.get(name) ?? [];
    waiters.delete(name);
    for (const waiter of waiting) answer(name, entry, waiter);
  }

  function ask(name: string, waiter: Waiter): void {
    const waiting = waiters.get(name);
    if (waiting !== undefined) {
      waiting.push(waiter);
      return;
    }
    const leave = admission.enter(name);
    if (leave === undefined) {
      fail(name, 'EAI_AGAIN', waiter);
      return;
    }
    waiters.set(name, [waiter]);
    const { search, resolver } = readConfiguration();
    resolveCandidates(resolver, candidatesOf(name, search), {
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      onOutcome: (outcome) => settle(name, outcome),
      onDone: leave,
    });
  }

  return (hostname, callback) => {
    const name = hostname.toLowerCase();
    const bare = name.endsWith('.') ? name.slice(0, -1) : name;
    const fixed = readHosts().get(bare);
    if (fixed !== undefined) return callback(null, fixed.map(toLookupAddress));
    if (bare === 'localhost' || bare.endsWith('.localhost')) return callback(null, LOOPBACK);
    if (!mayExist(bare)) return fail(name, 'ENOTFOUND', callback);
    const entry = kept.get(name);
    if (entry !== undefined && entry.untilMs > now()) return answer(name, entry, callback);
    ask(name, callback);
  };
}

/** Names below `invalid` never exist (RFC 6761 section 6.4). */
function mayExist(name: string): boolean {
  return name.length <= HOST_NAME_LENGTH_MAX && HOST_NAME.test(name) && !/(?:^|\.)invalid$/.test(name);
}

function createAresResolver(servers: readonly string[] | undefined): Resolver {
  const resolver = new Resolver({ timeout: FIRST_TRY_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return resolver;
}

/** Bounds the names that are asked for at the same time, in all and for each domain. */
function createAdmission(options: ResolverOptions) {
  const { lookupsMax = LOOKUPS_MAX, lookupsPerDomainMax = LOOKUPS_PER_DOMAIN_MAX } = options;
  const perDomain = new Map<string, number>();
  let all = 0;
  return {
    /** Gives the function that ends the look-up; undefined where there is no room. */
    enter(name: string): (() => void) | undefined {
      // An end user who chooses the host within one domain can name any number of hosts.
      const domain = name.split('.').slice(-2).join('.');
      const sameDomain = perDomain.get(domain) ?? 0;
      if (all >= lookupsMax || sameDomain >= lookupsPerDomainMax) return undefined;
      all += 1;
      perDomain.set(domain, sameDomain + 1);
      return () => {
        all -= 1;
        const left = (perDomain.get(domain) ?? 1) - 1;
        if (left === 0) perDomain.delete(domain);
        else perDomain.set(domain, left);
      };
    },
  };
}

/**
 * The full names to ask for, in turn. Unlike glibc, a name with a dot is asked for as it is first whatever `ndots`
 * says: where that is 5, as in Kubernetes, each provider's name would cost eight useless queries.
 */
function candidatesOf(name: string, { domains, ndots }: SearchRules): readonly string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const dots = name.split('.').length - 1;
  const completed = domains.map((domain) => `${name}.${domain}`);
  if (dots === 0) return [...completed, name];
  return dots < ndots ? [name, ...completed] : [name];
}

type Report = {
  readonly timeoutMs: number;
  /** Called once. */
  onOutcome(outcome: Outcome): void;
  /** c-ares has nothing under way any more; after `onOutcome` or before it. */
  onDone(): void;
};

/** Asks for one full name after the other until one has an address. */
function resolveCandidates(resolver: Resolver, candidates: readonly string[], report: Report): void {
  let isSettled = false;
  const settle = (outcome: Outcome) => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    report.onOutcome(outcome);
  };
  const timer = setTimeout(() => settle({ ok: false, code: 'ETIMEOUT' }), report.timeoutMs).unref();
  let asked = 0;
  const next = () => {
    const candidate = candidates[asked];
    asked += 1;
    if (candidate === undefined || isSettled) {
      settle(NOT_FOUND);
      return report.onDone();
    }
    resolveBoth(resolver, candidate, (outcome, isComplete) => {
      const isUnknown = !outcome.ok && outcome.code === 'ENOTFOUND';
      if (!isUnknown) settle(outcome);
      if (isComplete && isUnknown) next();
      else if (isComplete) report.onDone();
    });
  };
  next();
}

type Answer = { readonly records: readonly RecordWithTtl[]; readonly code: string };

/**
 * Asks for both families. Reports the outcome when both answers are here, or soon after the first address; in that case
 * once more when c-ares is done.
 */
function resolveBoth(
  resolver: Resolver,
  name: string,
  report: (outcome: Outcome, isComplete: boolean) => void,
): void {
  const answers: { 4?: Answer; 6?: Answer } = {};
  let timer: NodeJS.Timeout | undefined;
  const take = (family: 4 | 6) => (error: NodeJS.ErrnoException | null, records: RecordWithTtl[]) => {
    answers[family] = { records: records ?? [], code: error?.code ?? '' };
    const isComplete = answers[4] !== undefined && answers[6] !== undefined;
    if (isComplete) {
      clearTimeout(timer);
      report(outcomeOf(answers), true);
    } else if (error === null && records.length > 0) {
      timer = setTimeout(() => report(outcomeOf(answers), false), OTHER_FAMILY_MS);
    }
  };
  resolver.resolve4(name, { ttl: true }, take(4));
  resolver.resolve6(name, { ttl: true }, take(6));
}

/** What says that there is no such record. The rest says that the name servers could not be asked. */
const UNKNOWN_NAME: ReadonlySet<string> = new Set(['', 'ENOTFOUND', 'ENODATA', 'EBADNAME', 'EBADQUERY']);

function outcomeOf({ 4: four, 6: six }: { 4?: Answer; 6?: Answer }): Outcome {
  // IPv4 first: of two families, Node's `net.connect` tries the second one after 250 ms.
  const records = [...(four?.records ?? []), ...(six?.records ?? [])];
  if (records.length > 0) {
    const ttlMs = Math.min(...records.map(({ ttl }) => ttl)) * 1000;
    return { ok: true, addresses: records.map(({ address }) => toLookupAddress(address)), ttlMs };
  }
  const code = [four?.code, six?.code].find((one) => one !== undefined && !UNKNOWN_NAME.has(one));
  return code === undefined ? NOT_FOUND : { ok: false, code };
}

function answer(name: string, entry: Kept, waiter: Waiter): void {
  const { outcome } = entry;
  if (outcome.ok) waiter(null, rotate(outcome.addresses, entry.uses));
  else fail(name, outcome.code, waiter);
  entry.uses += 1;
}

/** Begins with another address of each family, so that connections spread over all of them. */
function rotate(addresses: readonly LookupAddress[], by: number): readonly LookupAddress[] {
  if (addresses.length < 2) return addresses;
  const turn = (family: number) => {
    const same = addresses.filter((one) => one.family === family);
    const first = same.length === 0 ? 0 : by % same.length;
    return [...same.slice(first), ...same.slice(0, first)];
  };
  return [...turn(4), ...turn(6)];
}

function fail(hostname: string, code: string, waiter: Waiter): void {
  waiter(Object.assign(new Error('The name could not be resolved'), { code, hostname }), []);
}

function toLookupAddress(address: string): LookupAddress {
  return { address, family: isIP(address) };
}
