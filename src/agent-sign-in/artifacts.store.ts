import type { Db } from '../platform/postgres/database.ts';

export type Artifact = {
  readonly id: string;
  readonly projectId: string;
  readonly consentId: string | null;
  readonly kind: string;
  readonly payloadSealed: string;
};

type Row = {
  project_id: string;
  payload_sealed: string;
  consumed_at: Date | null;
  is_in_grace: boolean | null;
};

/** A spent refresh token is known for so long, and a made-up one is not. */
const SPENT_KEPT = `interval '1 day'`;
/** A spent refresh token counts for so long with clients that refresh twice at once, or got no answer. */
const GRACE = `interval '30 seconds'`;

export type ArtifactsStore = typeof artifactsStore;

/** What the authorization server keeps, by the hash of what the client or the browser has of it. */
export const artifactsStore = {
  async upsert(db: Db, artifact: Artifact, lifetimeSeconds: number): Promise<void> {
    await db.raw(
      `INSERT INTO agent_artifacts (id, project_id, consent_id, kind, payload_sealed, expires_at)
       VALUES (:id, :projectId, :consentId, :kind, :payloadSealed, now() + make_interval(secs => :lifetimeSeconds))
       ON CONFLICT (id) DO UPDATE SET payload_sealed = excluded.payload_sealed, expires_at = excluded.expires_at`,
      { ...artifact, lifetimeSeconds },
    );
  },

  /** Of any project: what names it is the authority. */
  async findOfAnyProject(db: Db, id: string) {
    const row = await db('agent_artifacts')
      .where({ id })
      .where('expires_at', '>', db.fn.now())
      .first<Row | undefined>(
        'project_id',
        'payload_sealed',
        'consumed_at',
        db.raw(`consumed_at > now() - ${GRACE} AS is_in_grace`),
      );
    if (row === undefined) return undefined;
    return {
      projectId: row.project_id,
      payloadSealed: row.payload_sealed,
      consumedAt: row.consumed_at,
      isInGrace: row.is_in_grace === true,
    };
  },

  /** False where it was spent before: of two requests that come together, one wins, but for what has a grace. */
  async consume(db: Db, id: string, { hasGrace }: { readonly hasGrace: boolean }): Promise<boolean> {
    const { rowCount } = await db.raw(
      `UPDATE agent_artifacts
          SET consumed_at = coalesce(consumed_at, now()), expires_at = least(expires_at, now() + ${SPENT_KEPT})
        WHERE id = :id AND (consumed_at IS NULL OR (:hasGrace AND consumed_at > now() - ${GRACE}))`,
      { id, hasGrace },
    );
    return rowCount > 0;
  },

  /** Keeps what replaces a spent token. Gives what does: of two that come together, the first. */
  async keepSuccessor(db: Db, id: string, sealed: (projectId: string) => string) {
    const row = await db('agent_artifacts')
      .where({ id })
      .first<Pick<Row, 'project_id'> | undefined>('project_id');
    if (row === undefined) return undefined;
    const [kept] = await db('agent_artifacts')
      .where({ id })
      .update({ successor_sealed: db.raw('coalesce(successor_sealed, ?)', [sealed(row.project_id)]) })
      .returning<{ successor_sealed: string }[]>('successor_sealed');
    return kept && { projectId: row.project_id, successorSealed: kept.successor_sealed };
  },

  async remove(db: Db, id: string): Promise<void> {
    await db('agent_artifacts').where({ id }).delete();
  },

  /** Says when the client was here last. */
  async noteUse(db: Db, consentId: string): Promise<void> {
    await db('agent_consents').where({ id: consentId }).update({ used_at: db.fn.now() });
  },
};
