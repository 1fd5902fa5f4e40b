import { createFinding, type Evidence, type Finding } from './finding.ts';
import { judgeTokens } from './judge-tokens.ts';
import type { NoticedFault } from './observed-faults.store.ts';

/** What the project allows, and how the gateway is reached. */
export type Surroundings = {
  readonly publicUrl: string;
  readonly allowedOrigins: readonly string[];
  readonly returnUrls: readonly string[];
  /** No other project could be meant. */
  readonly isOnlyProject: boolean;
  readonly noticed: readonly NoticedFault[];
  /** How far our clock is ahead of the database's, in ms. */
  readonly clockSkewMs: number;
  readonly nowMs: number;
};

const CLOCK_SKEW_MS_MAX = 5_000;
const NAMED_MAX = 5;
/** Strangers may name any host: fewer visits to one tell nothing of the address that people use. */
const VISITS_MIN = 3;

/** Findings of what browsers and the application did around the integration. Pure. */
export function judgeSurroundings(surroundings: Surroundings): Finding[] {
  return [
    ...judgeHosts(surroundings),
    ...judgeOrigins(surroundings),
    ...judgeReturnUrls(surroundings),
    ...judgeTokens(surroundings.noticed, surroundings.nowMs),
    ...judgeClock(surroundings),
  ];
}

function judgeHosts({ publicUrl, noticed }: Surroundings): Finding[] {
  const own = new URL(publicUrl).host;
  const others = mergeByValue(noticed.filter(({ kind, value }) => kind === 'host' && value !== own));
  if (others.length === 0) return [];
  const parameters = { publicUrl, hosts: namesOf(others) };
  const severity = others.some(({ count }) => count >= VISITS_MIN) ? 'warning' : 'info';
  return [
    createFinding('public_url_differs', parameters, { evidence: evidenceOf('Host', others), severity }),
  ];
}

function judgeOrigins(surroundings: Surroundings): Finding[] {
  const { allowedOrigins } = surroundings;
  const refused = surroundings.noticed.filter(
    (fault) =>
      fault.kind === 'origin' && !allowedOrigins.includes(fault.value) && isOurs(fault, surroundings),
  );
  const others = mergeByValue(refused);
  if (others.length === 0) return [];
  const parameters = { origins: namesOf(others) };
  // Any page may ask: one that is near the project's own addresses is likely to be the application's.
  const severity = others.some(({ value }) => isNear(value, surroundings)) ? 'warning' : 'info';
  return [
    createFinding('origin_not_allowed', parameters, { evidence: evidenceOf('Origin', others), severity }),
  ];
}

function judgeReturnUrls({ noticed, returnUrls }: Surroundings): Finding[] {
  const others = noticed.filter(({ kind, value }) => kind === 'return_url' && !returnUrls.includes(value));
  if (others.length === 0) return [];
  const parameters = { urls: namesOf(others) };
  return [
    createFinding('return_url_not_registered', parameters, { evidence: evidenceOf('Return URL', others) }),
  ];
}

function judgeClock({ clockSkewMs }: Surroundings): Finding[] {
  if (Math.abs(clockSkewMs) <= CLOCK_SKEW_MS_MAX) return [];
  const seconds = String(Math.round(clockSkewMs / 1000));
  const evidence = [{ label: 'Our clock is ahead of the database’s by', value: `${seconds} s` }];
  return [createFinding('clock_off', { provider: 'the database', seconds }, { evidence })];
}

/**
 * A preflight does not name its project. Another project's origins are not shown: without a project, only those count
 * that are near an address of this one.
 */
function isOurs({ projectId, value }: NoticedFault, surroundings: Surroundings): boolean {
  return projectId !== null || surroundings.isOnlyProject || isNear(value, surroundings);
}

function isNear(origin: string, { allowedOrigins, returnUrls }: Surroundings): boolean {
  const host = hostOf(origin);
  const own = [...allowedOrigins, ...returnUrls].map(hostOf);
  return own.some((known) => known === host || known.endsWith(`.${host}`) || host.endsWith(`.${known}`));
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? '';
}

/** An origin is noticed once without its project, by preflights of the API, and once with it, by those of the proxy. */
function mergeByValue(faults: readonly NoticedFault[]): NoticedFault[] {
  const merged = new Map<string, NoticedFault>();
  for (const fault of faults) {
    const { count, lastAt } = merged.get(fault.value) ?? { count: 0, lastAt: fault.lastAt };
    merged.set(fault.value, {
      ...fault,
      count: count + fault.count,
      lastAt: lastAt > fault.lastAt ? lastAt : fault.lastAt,
    });
  }
  return [...merged.values()];
}

function namesOf(faults: readonly NoticedFault[]): string {
  return faults
    .slice(0, NAMED_MAX)
    .map(({ value }) => value)
    .join(', ');
}

function evidenceOf(label: string, faults: readonly NoticedFault[]): Evidence[] {
  return faults.map(({ value, count, lastAt }) => ({
    label,
    value: `${value} (${count} ×)`,
    at: lastAt.toISOString(),
  }));
}
