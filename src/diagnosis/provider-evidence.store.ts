import type { Db } from '../platform/postgres/database.ts';

/** What can be seen to work at a provider. */
export const PROVEN_FACTS = ['authorization', 'refresh', 'probe', 'webhook', 'poll'] as const;
export type ProvenFact = (typeof PROVEN_FACTS)[number];

export type ProviderEvidence = {
  readonly provider: string;
  readonly fileVersion: string;
  readonly fact: ProvenFact;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
};

export type EvidenceToKeep = Pick<ProviderEvidence, 'provider' | 'fileVersion' | 'fact' | 'count'> & {
  readonly projectId: string;
};

/** Versions of files come and go; nobody reads more. */
const LISTED_MAX = 2_000;

export type ProviderEvidenceStore = ReturnType<typeof createProviderEvidenceStore>;

/** SQL over what worked at providers, noted by whichever process. */
export function createProviderEvidenceStore({ db }: { db: Db }) {
  /** Adds to what is kept; projects that do not exist are left out. */
  async function keep(noted: readonly EvidenceToKeep[]): Promise<void> {
    await db.raw(
      `INSERT INTO provider_evidence (project_id, provider, file_version, fact, count)
       SELECT n.project_id, n.provider, n.file_version, n.fact, n.count
       FROM jsonb_to_recordset(?::jsonb)
         AS n(project_id uuid, provider text, file_version text, fact text, count bigint)
       WHERE EXISTS (SELECT 1 FROM projects AS p WHERE p.id = n.project_id)
       ORDER BY n.project_id, n.provider, n.file_version, n.fact
       ON CONFLICT (project_id, provider, file_version, fact)
       DO UPDATE SET last_at = now(), count = provider_evidence.count + excluded.count`,
      [
        JSON.stringify(
          noted.map(({ projectId, provider, fileVersion, fact, count }) => ({
            project_id: projectId,
            provider,
            file_version: fileVersion,
            fact,
            count,
          })),
        ),
      ],
    );
  }

  async function list(projectId: string, provider?: string): Promise<ProviderEvidence[]> {
    const rows = await db('provider_evidence')
      .where({ project_id: projectId, ...(provider !== undefined && { provider }) })
      .orderBy(['provider', 'file_version', 'fact'])
      .limit(LISTED_MAX)
      .select('provider', 'file_version', 'fact', 'count', 'first_at', 'last_at');
    return rows.map((row) => ({
      provider: row.provider,
      fileVersion: row.file_version,
      fact: row.fact,
      count: Number(row.count),
      firstAt: row.first_at,
      lastAt: row.last_at,
    }));
  }

  return { keep, list };
}
