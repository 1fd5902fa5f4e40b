import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Chore } from '../platform/chores.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import type { EvidenceToKeep, ProvenFact, ProviderEvidenceStore } from './provider-evidence.store.ts';

const FLUSH_MS = 30_000;
/** Different ones that wait for a write; more are dropped. */
const HELD_MAX = 2_000;
const VERSION_LENGTH = 12;

/** Says that something worked at a provider; costs an increment. */
export type NoteWorked = (projectId: string, provider: string, fact: ProvenFact) => void;

type Noted = { projectId: string; provider: string; fact: ProvenFact; count: number };

/**
 * Counts in memory what worked at which provider, and writes it down in the background. Nothing of it leaves the gateway, and
 * it names neither users nor connections.
 */
export function createProviderEvidence(deps: {
  readonly store: Pick<ProviderEvidenceStore, 'keep'>;
  readonly providers: Pick<NamedProviders, 'find'>;
}) {
  let held = new Map<string, Noted>();
  const versions = new WeakMap<Provider, string>();
  const oneAtATime = pLimit(1);
  const flush = () => oneAtATime(write);

  const noteWorked: NoteWorked = (projectId, provider, fact) => add({ projectId, provider, fact, count: 1 });

  function add(noted: Noted): void {
    const { projectId, provider, fact, count } = noted;
    const key = `${projectId} ${provider} ${fact}`;
    const known = held.get(key);
    if (known !== undefined) known.count += count;
    else if (held.size < HELD_MAX) held.set(key, { ...noted });
  }

  async function write(): Promise<void> {
    const noted = [...held.values()];
    if (noted.length === 0) return;
    held = new Map();
    try {
      const rows = await addVersions(noted);
      if (rows.length > 0) await deps.store.keep(rows);
    } catch (error) {
      for (const one of noted) add(one);
      throw error;
    }
  }

  /** Without those of entries that are gone. */
  async function addVersions(noted: readonly Noted[]): Promise<EvidenceToKeep[]> {
    const rows: EvidenceToKeep[] = [];
    for (const one of noted) {
      const provider = await deps.providers.find(one.projectId, one.provider, null);
      if (provider !== undefined) rows.push({ ...one, fileVersion: versionOf(provider) });
    }
    return rows;
  }

  function versionOf(provider: Provider): string {
    const version = versions.get(provider) ?? hashProvider(provider);
    versions.set(provider, version);
    return version;
  }

  return {
    noteWorked,
    flush,
    chore: { name: 'provider evidence', intervalMs: FLUSH_MS, runsAtStop: true, run: flush } satisfies Chore,
  };
}

/** A short name of what the entry says that a connection depends on. */
function hashProvider({ grants, notes, quirks, setupSteps, docsUrl, checked, evidence, ...facts }: Provider) {
  return createHash('sha256')
    .update(JSON.stringify([facts, grants.map(({ id }) => id)]))
    .digest('hex')
    .slice(0, VERSION_LENGTH);
}
