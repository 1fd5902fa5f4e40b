import type { Db } from '../platform/postgres/database.ts';

/** What is held at present. */
export type Held = {
  readonly frozenProjects: readonly string[];
  /** The gateway runs on a restored backup and has not been resumed. */
  readonly isRestored: boolean;
};

export async function readHeldOfAnyProject(db: Db): Promise<Held> {
  const { rows } = await db.raw<{ rows: { frozen: string[]; is_restored: boolean }[] }>(
    `SELECT ARRAY(SELECT id FROM projects WHERE frozen_at IS NOT NULL AND deleted_at IS NULL) AS frozen,
            EXISTS (SELECT FROM gateway_restores WHERE state <> 'resumed') AS is_restored`,
  );
  return { frozenProjects: rows[0]?.frozen ?? [], isRestored: rows[0]?.is_restored ?? false };
}
