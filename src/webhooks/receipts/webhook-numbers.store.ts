import type { Db } from '../../platform/postgres/database.ts';
import { OTHER_INTEGRATION, OTHER_SCHEME, REASONS_OF_ANY_SENDER, splitReason } from './mismatch-reasons.ts';

/** What was refused longer ago says nothing of today. */
const WINDOW = "interval '7 days'";

/** What happened at an integration's address since the last time that it was written down. */
export type WebhookTally = {
  readonly integrationId: string;
  readonly projectId: string;
  lastWebhookAt: Date | null;
  /** Signatures that fitted no secret, since the last webhook whose signature fitted. */
  failures: number;
  lastFailureAt: Date | null;
  rejected: number;
};

/** Adds the tallies to the store; those of integrations that are gone are left out. */
export async function addTallies(db: Db, tallies: readonly WebhookTally[]): Promise<void> {
  if (tallies.length === 0) return;
  await db.raw(
    `INSERT INTO webhook_numbers AS n
       (integration_id, project_id, last_webhook_at, failures, last_failure_at, rejected)
     SELECT t.* FROM jsonb_to_recordset(?::jsonb) AS t ("integrationId" uuid, "projectId" uuid,
       "lastWebhookAt" timestamptz, failures int, "lastFailureAt" timestamptz, rejected bigint)
     WHERE EXISTS (SELECT 1 FROM integrations AS i WHERE i.id = t."integrationId")
     ORDER BY 1
     ON CONFLICT (integration_id) DO UPDATE SET
       last_webhook_at = greatest(n.last_webhook_at, excluded.last_webhook_at),
       failures = CASE WHEN excluded.last_webhook_at IS NULL THEN n.failures ELSE 0 END + excluded.failures,
       last_failure_at = greatest(n.last_failure_at, excluded.last_failure_at),
       rejected = n.rejected + excluded.rejected`,
    [JSON.stringify(tallies)],
  );
}

export type WebhookNumbers = {
  readonly lastWebhook: Date | null;
  readonly failures: number;
  readonly lastFailureAt: Date | null;
  readonly hasSecret: boolean;
};

/** What is known of an integration's webhooks; undefined where there is no such integration. */
export async function readWebhookNumbers(
  db: Db,
  { id, projectId }: { readonly id: string; readonly projectId: string },
): Promise<WebhookNumbers | undefined> {
  const row = await db('integrations AS i')
    .leftJoin('webhook_numbers AS n', { 'n.integration_id': 'i.id', 'n.project_id': 'i.project_id' })
    .where({ 'i.id': id, 'i.project_id': projectId })
    .first<{
      last_webhook_at: Date | null;
      failures: number | null;
      last_failure_at: Date | null;
      has_secret: boolean;
    }>(
      'n.last_webhook_at',
      db.raw(`CASE WHEN n.last_failure_at > now() - ${WINDOW} THEN n.failures END AS failures`),
      'n.last_failure_at',
      db.raw('i.webhook_secret_sealed IS NOT NULL AS has_secret'),
    );
  return (
    row && {
      lastWebhook: row.last_webhook_at,
      failures: row.failures ?? 0,
      lastFailureAt: row.last_failure_at,
      hasSecret: row.has_secret,
    }
  );
}

/** Of the webhooks kept that were refused since the last good one, how many say nothing of the secret. */
export async function countUnproven(
  db: Db,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  lastWebhook: Date | null,
): Promise<{ readonly count: number; readonly lastAt: Date | null }> {
  const row = await rejectedSince(db, { id, projectId }, lastWebhook)
    .whereIn('reason', [...REASONS_OF_ANY_SENDER])
    .first<{ count: number; last_at: Date | null }>(
      db.raw('count(*)::integer AS count, max(created_at) AS last_at'),
    );
  return { count: row.count, lastAt: row.last_at };
}

function rejectedSince(
  db: Db,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  lastWebhook: Date | null,
) {
  const rejected = db('webhook_receipts')
    .where({ integration_id: id, project_id: projectId, state: 'rejected' })
    .whereRaw(`created_at > now() - ${WINDOW}`);
  return lastWebhook === null ? rejected : rejected.where('created_at', '>', lastWebhook);
}

/** What the signatures fit that are refused, by the newest of those that were looked at closely. */
export type MismatchCause =
  | { readonly kind: 'other_scheme' }
  | { readonly kind: 'other_integration'; readonly id: string; readonly clientId: string | null };

/** Undefined where nothing is known but that they fit nothing. */
export async function readMismatchCause(
  db: Db,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  lastWebhook: Date | null,
): Promise<MismatchCause | undefined> {
  const row = await rejectedSince(db, { id, projectId }, lastWebhook)
    .whereRaw(`(reason = ? OR reason LIKE ?)`, [OTHER_SCHEME, `${OTHER_INTEGRATION}:%`])
    .orderBy('id', 'desc')
    .first<{ reason: string } | undefined>('reason');
  if (row === undefined) return undefined;
  const { signedForIntegrationId } = splitReason(row.reason);
  if (signedForIntegrationId === null) return { kind: 'other_scheme' };
  const other = await db('integrations')
    .where({ id: signedForIntegrationId, project_id: projectId })
    .whereNull('deleted_at')
    .first<{ client_id: string | null } | undefined>('client_id');
  return other && { kind: 'other_integration', id: signedForIntegrationId, clientId: other.client_id };
}
