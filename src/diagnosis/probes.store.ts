import type { Integration } from '../integrations/integration.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type ClientProbe, clientProbeSchema } from './client-probe.schema.ts';

/** What the provider of an integration last said. */
export type KeptProbe = { readonly checkedAt: Date; readonly facts: ClientProbe; readonly isFresh: boolean };

/** How long an answer counts. */
const FRESH_SECONDS = 600;
/** However often a diagnosis is asked for, and by however many processes, providers are asked no more often than this. */
const PAUSE_SECONDS = 10;

/** SQL over the answers of providers, one for each integration, shared by all processes. */
export function createProbesStore({ db }: { db: Db }) {
  /** Undefined where there is none, or the integration was changed since. */
  async function read({ id, projectId, version }: Integration): Promise<KeptProbe | undefined> {
    const row = await db('integration_probes')
      .where({ integration_id: id, project_id: projectId, integration_version: version })
      .whereNotNull('facts')
      .first(
        'checked_at',
        'facts',
        db.raw(`checked_at > now() - interval '${FRESH_SECONDS} seconds' AS is_fresh`),
      );
    const facts = clientProbeSchema.safeParse(row?.facts);
    return row && facts.success
      ? { checkedAt: row.checked_at, facts: facts.data, isFresh: row.is_fresh }
      : undefined;
  }

  /** What is kept for these integrations, by id. */
  async function readAll(
    integrations: readonly Integration[],
  ): Promise<ReadonlyMap<string, Omit<KeptProbe, 'isFresh'>>> {
    const versions = new Map(integrations.map(({ id, version }) => [id, version]));
    const rows = await db('integration_probes')
      .whereIn('integration_id', [...versions.keys()])
      .whereNotNull('facts')
      .select('integration_id', 'integration_version', 'checked_at', 'facts');
    const kept = rows.flatMap((row): [string, Omit<KeptProbe, 'isFresh'>][] => {
      const facts = clientProbeSchema.safeParse(row.facts);
      if (!facts.success || versions.get(row.integration_id) !== row.integration_version) return [];
      return [[row.integration_id, { checkedAt: row.checked_at, facts: facts.data }]];
    });
    return new Map(kept);
  }

  /** True for the one process that may ask the provider now. */
  async function claim({ id, projectId, version }: Integration): Promise<boolean> {
    const { rowCount } = await db.raw(
      `INSERT INTO integration_probes (integration_id, project_id, integration_version)
       SELECT id, project_id, ? FROM integrations WHERE id = ? AND project_id = ?
       ON CONFLICT (integration_id) DO UPDATE
       SET claimed_at = now(), integration_version = excluded.integration_version,
           facts = CASE WHEN integration_probes.integration_version = excluded.integration_version
                        THEN integration_probes.facts END
       WHERE integration_probes.claimed_at < now() - interval '${PAUSE_SECONDS} seconds'
          OR integration_probes.integration_version <> excluded.integration_version`,
      [version, id, projectId],
    );
    return rowCount > 0;
  }

  async function keep({ id, projectId, version }: Integration, facts: ClientProbe): Promise<void> {
    await db('integration_probes')
      .where({ integration_id: id, project_id: projectId, integration_version: version })
      .update({ checked_at: db.fn.now(), facts: JSON.stringify(facts) });
  }

  return { read, readAll, claim, keep };
}

export type ProbesStore = ReturnType<typeof createProbesStore>;
