import type { ProxiedCall, VerifiedUser } from '../proxy/contract.ts';
import { findCallOrigin } from './call-outcome.ts';
import { createWaitingRows } from './waiting-rows.ts';

const HOUR_MS = 3_600_000;
const UUID_LENGTH = 36;

/** What calls are counted by; their places are `usage_counts.kind`. */
export const USAGE_KINDS = ['user', 'organization', 'connection', 'mandate'] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

/** Of one kind and project between two flushes; the others are counted together. */
const GROUPS_PER_KIND_MAX = 512;
/** Of a process, some 200 bytes each: users of one project cannot take the places of all others. */
const GROUPS_MAX = 50_000;
const PROJECTS_MAX = 4_096;
/** Rows that could not be stored yet. */
const WAITING_ROWS_MAX = 50_000;

/** What one process counted of one group within an hour. An empty name: what is counted together. */
export type UsageRow = {
  readonly projectId: string;
  readonly kind: UsageKind;
  /** The application's own id of a user or an organization; the gateway's of a connection or a mandate. */
  readonly name: string;
  readonly hour: Date;
  /** When the last of these calls was counted. */
  readonly lastAt: Date;
  readonly calls: number;
  readonly gatewayErrors: number;
  readonly providerErrors: number;
};

class Tally {
  lastMs = 0;
  calls = 0;
  gatewayErrors = 0;
  providerErrors = 0;
}

type OfProject = Readonly<Record<UsageKind, Map<string, Tally>>>;

/**
 * Counts finished calls in memory by who made them and over what, until `take` gives them away to be stored. A call costs
 * a look-up for each kind that it has.
 */
export function createUsageCounts({ now }: { now(): number }) {
  let hour = 0;
  let projects = new Map<string, OfProject>();
  let groups = 0;
  const waiting = createWaitingRows<UsageRow>({
    rowsMax: WAITING_ROWS_MAX,
    callsOf: (row) => (row.kind === 'user' ? row.calls : 0),
  });

  function projectOf(projectId: string): OfProject | undefined {
    const known = projects.get(projectId);
    if (known !== undefined) return known;
    if (projects.size >= PROJECTS_MAX) return undefined;
    const made = { user: new Map(), organization: new Map(), connection: new Map(), mandate: new Map() };
    projects.set(projectId, made);
    return made;
  }

  function tallyOf(ofKind: Map<string, Tally>, name: string): Tally {
    const known = ofKind.get(name);
    if (known !== undefined) return known;
    const isFull = ofKind.size >= GROUPS_PER_KIND_MAX || groups >= GROUPS_MAX;
    if (isFull && name !== '') return tallyOf(ofKind, '');
    const made = new Tally();
    ofKind.set(name, made);
    groups += 1;
    return made;
  }

  function add(ofKind: Map<string, Tally>, name: string, origin: string, nowMs: number): void {
    const tally = tallyOf(ofKind, name);
    tally.lastMs = nowMs;
    tally.calls += 1;
    if (origin === 'gateway') tally.gatewayErrors += 1;
    else if (origin === 'provider') tally.providerErrors += 1;
  }

  /** Makes rows of what has been counted, which are waiting from then on. */
  function close(): void {
    const rows: UsageRow[] = [];
    for (const [projectId, ofProject] of projects)
      for (const kind of USAGE_KINDS)
        for (const [name, { lastMs, calls, gatewayErrors, providerErrors }] of ofProject[kind])
          rows.push({
            ...{ projectId, kind, name, hour: new Date(hour * HOUR_MS), lastAt: new Date(lastMs) },
            ...{ calls, gatewayErrors, providerErrors },
          });
    projects = new Map();
    groups = 0;
    waiting.add(rows);
  }

  return {
    /** Counts a call whose user is known. */
    count(call: ProxiedCall, projectId: string, user: VerifiedUser): void {
      const nowMs = now();
      const current = Math.floor(nowMs / HOUR_MS);
      if (current !== hour) {
        close();
        hour = current;
      }
      const ofProject = projectOf(projectId);
      if (ofProject === undefined) {
        waiting.noteLost();
        return;
      }
      const origin = findCallOrigin(call);
      add(ofProject.user, user.subject, origin, nowMs);
      const organization = user.membership?.organization;
      if (organization !== undefined) add(ofProject.organization, organization, origin, nowMs);
      if (call.connectionId !== undefined) add(ofProject.connection, call.connectionId, origin, nowMs);
      // Entries in the token have a digest, of which there may be one for each token.
      for (const { id } of call.mandates)
        if (id.length === UUID_LENGTH) add(ofProject.mandate, id, origin, nowMs);
    },

    /** The oldest rows that wait to be stored, at most `limit`. They stay until `drop`. */
    take(limit: number): readonly UsageRow[] {
      if (projects.size > 0) close();
      return waiting.take(limit);
    },

    drop: waiting.drop,
    takeLost: waiting.takeLost,
  };
}
