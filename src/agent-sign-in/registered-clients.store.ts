import { z } from 'zod';
import { isUuid } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';

/** Of a project, that no person has allowed anything; the oldest makes room. */
const UNUSED_MAX = 500;
const CLIENTS_MAX = 10_000;

export type ClientMetadata = Readonly<Record<string, unknown>>;

const metadataSchema = z.record(z.string(), z.unknown());

export type RegisteredClientsStore = typeof registeredClientsStore;

/** Clients that have registered themselves. They count as long as the project lets clients do so. */
export const registeredClientsStore = {
  /** `off`: the project lets none register. `full`: too many are in use. */
  async insert(
    trx: Db,
    { id, projectId, metadata }: { id: string; projectId: string; metadata: ClientMetadata },
  ): Promise<'done' | 'off' | 'full'> {
    // Registrations of a project come one after the other, so that none passes the limits.
    const project = await trx('projects')
      .where({ id: projectId })
      .whereNull('deleted_at')
      .whereRaw(IS_ON)
      .forNoKeyUpdate()
      .first('id');
    if (project === undefined) return 'off';
    await trx.raw(
      `DELETE FROM agent_clients WHERE id IN (
         SELECT id FROM agent_clients WHERE project_id = ? AND used_at IS NULL
          ORDER BY created_at DESC, id DESC OFFSET ?)`,
      [projectId, UNUSED_MAX - 1],
    );
    const { rows } = await trx.raw<{ rows: { count: number }[] }>(
      'SELECT count(*)::int AS count FROM agent_clients WHERE project_id = ?',
      [projectId],
    );
    if ((rows[0]?.count ?? 0) >= CLIENTS_MAX) return 'full';
    await trx.raw('INSERT INTO agent_clients (id, project_id, metadata) VALUES (?, ?, CAST(? AS jsonb))', [
      id,
      projectId,
      JSON.stringify(metadata),
    ]);
    return 'done';
  },

  async find(db: Db, projectId: string, id: string): Promise<ClientMetadata | undefined> {
    if (!isUuid(id)) return undefined;
    const row = await db({ c: 'agent_clients' })
      .join({ p: 'projects' }, 'p.id', 'c.project_id')
      .where({ 'c.id': id, 'c.project_id': projectId })
      .whereNull('p.deleted_at')
      .whereRaw(IS_ON)
      .first<{ metadata: unknown } | undefined>('c.metadata');
    return row && metadataSchema.parse(row.metadata);
  },

  /** A person has allowed it something, so that it stays. */
  async noteUse(trx: Db, projectId: string, id: string): Promise<void> {
    if (!isUuid(id)) return;
    await trx('agent_clients').where({ id, project_id: projectId }).update({ used_at: trx.fn.now() });
  },
};

const IS_ON = `agent_sign_in @> '{"dynamicRegistration": true}'`;
