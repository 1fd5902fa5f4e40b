import { HOLDING_GRANTS } from '../connect/pending-grants.store.ts';
import type { Connection } from '../connections/connection.ts';
import { notifyProcesses } from '../platform/postgres/change-notices.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Pseudonymize } from '../platform/pseudonyms.ts';
import type { ErasedPersonFacts } from './walks.store.ts';

const RECORDS_AT_ONCE = 5_000;

/** Those of the connections that have a webhook address at the provider. */
export async function listRegistered(db: Db, connectionIds: readonly string[]): Promise<string[]> {
  return db('webhook_subscriptions').whereIn('connection_id', connectionIds).pluck('connection_id');
}

/** Deletes what polls remember of the connections; how many records. */
export async function deletePollRecords(db: Db, connectionIds: readonly string[]): Promise<number> {
  const sets: string[] = await db('poll_connections')
    .whereIn('connection_id', connectionIds)
    .pluck('record_set');
  let deleted = 0;
  for (let found = RECORDS_AT_ONCE; sets.length > 0 && found === RECORDS_AT_ONCE; deleted += found) {
    const { rowCount } = await db.raw(
      `DELETE FROM poll_records WHERE (record_set, object_id) IN (
         SELECT record_set, object_id FROM poll_records WHERE record_set = ANY(?::bigint[]) LIMIT ?)`,
      [sets, RECORDS_AT_ONCE],
    );
    found = rowCount;
  }
  return deleted;
}

/**
 * Remembers whose data must not come back: the connections, for as long as late data is looked for, and the accounts that
 * no other connection has, by pseudonyms. Webhooks that waited for these accounts go.
 */
export async function noteErasedConnections(
  trx: Db,
  { erasureId, projectId }: Pick<ErasedPersonFacts, 'erasureId' | 'projectId'>,
  gone: readonly Pick<Connection, 'id' | 'integrationId' | 'accountId'>[],
  pseudonymize: Pseudonymize,
): Promise<void> {
  if (gone.length === 0) return;
  await trx('user_erasure_connections')
    .insert(gone.map(({ id }) => ({ erasure_id: erasureId, project_id: projectId, connection_id: id })))
    .onConflict()
    .ignore();
  const accounts = gone.flatMap(({ integrationId, accountId }) =>
    accountId === null ? [] : [{ integrationId, accountId, name: pseudonymize('account', accountId) }],
  );
  await trx.raw(
    `WITH alone AS (
       SELECT DISTINCT a.* FROM jsonb_to_recordset(CAST(:accounts AS jsonb))
         AS a ("integrationId" uuid, "accountId" text, name uuid)
        WHERE NOT EXISTS (SELECT 1 FROM connections AS c
          WHERE c.integration_id = a."integrationId" AND c.account_id = a."accountId")
     ), unmatched AS (
       DELETE FROM webhook_unmatched AS u USING alone AS a
        WHERE u.integration_id = a."integrationId" AND u.account_id = a."accountId")
     INSERT INTO erased_accounts (project_id, integration_id, account_pseudonym)
     SELECT :projectId, "integrationId", name FROM alone ON CONFLICT DO NOTHING`,
    { projectId, accounts: JSON.stringify(accounts) },
  );
}

/** Integrations at which the person has authorized something and not completed it. */
export async function listIntegrationsWithPending(
  db: Db,
  { projectId, endUserId }: Pick<ErasedPersonFacts, 'projectId' | 'endUserId'>,
): Promise<string[]> {
  return db('connect_sessions')
    .where({ project_id: projectId })
    .where((of) => of.where({ end_user_id: endUserId }).orWhere({ person_id: endUserId }))
    .whereIn('state', HOLDING_GRANTS)
    .whereNotNull('integration_id')
    .distinct()
    .pluck('integration_id');
}

export async function deleteConnectSessions(
  trx: Db,
  { projectId, endUserId }: Pick<ErasedPersonFacts, 'projectId' | 'endUserId'>,
): Promise<number> {
  return trx('connect_sessions')
    .where({ project_id: projectId })
    .where((of) => of.where({ end_user_id: endUserId }).orWhere({ person_id: endUserId }))
    .delete();
}

/** False where the person has connections or pending grants again: they have to be revoked first. */
export async function deleteEndUser(
  trx: Db,
  { projectId, endUserId }: Pick<ErasedPersonFacts, 'projectId' | 'endUserId'>,
): Promise<boolean> {
  const of = { project_id: projectId, end_user_id: endUserId };
  await trx('end_users').where({ project_id: projectId, id: endUserId }).forUpdate().first('id');
  const held =
    (await trx('connections').where(of).first('id')) ??
    (await trx('connect_sessions').where(of).whereIn('state', HOLDING_GRANTS).first('id'));
  if (held !== undefined) return false;
  await deleteConnectSessions(trx, { projectId, endUserId });
  await trx('end_users').where({ project_id: projectId, id: endUserId }).delete();
  await notifyProcesses(trx, [`end_users ${projectId} ${endUserId} ${endUserId}`]);
  return true;
}
