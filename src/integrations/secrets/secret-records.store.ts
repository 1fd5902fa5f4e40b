import type { Db } from '../../platform/postgres/database.ts';
import { PREVIOUS_SECRET_DAYS } from './integration-secrets.store.ts';

type Owner = { readonly id: string; readonly projectId: string };

/** What is known of a secret of an integration, without the secret. */
export type SecretRecord = Readonly<{
  id: string;
  kind: 'client' | 'webhook';
  age: 'newer' | 'older';
  createdAt: Date;
  createdBy: string;
  lastWorkedAt: Date | null;
  lastRefusedAt: Date | null;
  expiresAt: Date | null;
  /** Until when an older secret is tried; null for a newer one. */
  triedUntil: Date | null;
}>;

type Row = {
  id: string;
  kind: 'client' | 'webhook';
  age: 'newer' | 'older';
  created_at: Date;
  created_by: string;
  last_worked_at: Date | null;
  last_refused_at: Date | null;
  expires_at: Date | null;
  tried_until: Date | null;
};

type EndingRow = Row & { integration_id: string; service_provider: string };

/** A client secret with a noted end, and whose it is. */
export type EndingSecret = Readonly<{ integrationId: string; serviceProvider: string; record: SecretRecord }>;

/** As many as a page shows of them. */
const ENDING_MAX = 100;

export type SecretVerdict = 'worked' | 'refused';

/** SQL over what is known of integrations' secrets. Triggers make, age and delete the rows as secrets change. */
export function createSecretRecordsStore() {
  async function list(db: Db, { id, projectId }: Owner): Promise<SecretRecord[]> {
    const rows = await db('integration_secrets AS s')
      .join('integrations AS i', { 'i.id': 's.integration_id', 'i.project_id': 's.project_id' })
      .where({ 's.integration_id': id, 's.project_id': projectId })
      .orderBy(['s.kind', 's.age'])
      .select<Row[]>(
        's.*',
        db.raw(`CASE WHEN s.age = 'older' THEN
          CASE s.kind WHEN 'client' THEN i.client_secret_rotated_at ELSE i.webhook_secret_rotated_at END
          + interval '${PREVIOUS_SECRET_DAYS} days' END AS tried_until`),
      );
    return rows.map(fromRow);
  }

  /** The newer client secrets of a project's integrations whose noted end is before that. */
  async function listEnding(db: Db, projectId: string, before: Date): Promise<EndingSecret[]> {
    const rows = await db('integration_secrets AS s')
      .join('integrations AS i', { 'i.id': 's.integration_id', 'i.project_id': 's.project_id' })
      .where({ 'i.project_id': projectId, 's.kind': 'client', 's.age': 'newer' })
      .whereNull('i.deleted_at')
      .where('s.expires_at', '<', before)
      .orderBy('s.expires_at')
      .limit(ENDING_MAX)
      .select<EndingRow[]>('s.*', 's.integration_id', 'i.service_provider', db.raw('NULL AS tried_until'));
    return rows.map((row) => ({
      integrationId: row.integration_id,
      serviceProvider: row.service_provider,
      record: fromRow(row),
    }));
  }

  async function find(db: Db, owner: Owner, secretId: string): Promise<SecretRecord | undefined> {
    const all = await list(db, owner);
    return all.find(({ id }) => id === secretId);
  }

  /** Erases the older secret of the kind; false where there is none. */
  async function dropOlder(trx: Db, { id, projectId }: Owner, kind: SecretRecord['kind']): Promise<boolean> {
    const column = `previous_${kind}_secret_sealed`;
    const changed = await trx('integrations')
      .where({ id, project_id: projectId })
      .whereNotNull(column)
      .update({ [column]: null, version: trx.raw('version + 1'), updated_at: trx.fn.now() });
    return changed > 0;
  }

  /** Notes when the newer client secret ends at the provider; null: not known. */
  async function setExpiry(trx: Db, { id, projectId }: Owner, expiresAt: Date | null): Promise<void> {
    await trx('integration_secrets')
      .where({ integration_id: id, project_id: projectId, kind: 'client', age: 'newer' })
      .update({ expires_at: expiresAt });
  }

  /** Notes what the provider made of a secret, once an hour or when it changes its mind. */
  async function noteVerdict(db: Db, secretId: string, verdict: SecretVerdict): Promise<void> {
    const [now, before] =
      verdict === 'worked' ? ['last_worked_at', 'last_refused_at'] : ['last_refused_at', 'last_worked_at'];
    await db('integration_secrets')
      .where({ id: secretId })
      .whereRaw(`(?? IS NULL OR ?? < now() - interval '1 hour' OR ?? >= ??)`, [now, now, before, now])
      .update({ [now]: db.fn.now() });
  }

  return { list, listEnding, find, dropOlder, setExpiry, noteVerdict };
}

export type SecretRecordsStore = ReturnType<typeof createSecretRecordsStore>;

function fromRow(row: Row): SecretRecord {
  return {
    id: row.id,
    kind: row.kind,
    age: row.age,
    createdAt: row.created_at,
    createdBy: row.created_by,
    lastWorkedAt: row.last_worked_at,
    lastRefusedAt: row.last_refused_at,
    expiresAt: row.expires_at,
    triedUntil: row.tried_until,
  };
}
