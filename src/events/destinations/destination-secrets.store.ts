import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import { createSigningSecret } from '../sending/standard-webhooks.ts';
import type { Destination } from './destination.ts';
import { changeRow, type DestinationRow } from './destination-rows.store.ts';

/** How long the secret before a rotation signs as well. */
export const PREVIOUS_SECRET_HOURS = 24;

type Owner = Pick<Destination, 'id' | 'projectId'>;

/** SQL over the secrets with which the messages to destinations are signed. */
export function createDestinationSecrets({ vault }: { vault: Vault }) {
  const context = (column: string, { id, projectId }: Owner) => ({
    table: 'event_destinations',
    column,
    rowId: id,
    projectId,
  });
  const seal = (column: string, owner: Owner, secret: string) => vault.seal(secret, context(column, owner));

  /** A secret for a new destination, and as its row holds it. */
  function createSecret(owner: Owner): { secret: string; sealed: string } {
    const secret = createSigningSecret();
    return { secret, sealed: seal('secret_sealed', owner, secret) };
  }

  /** A new secret; the one before signs as well for a day. */
  async function rotateSecret(trx: Db, owner: Owner): Promise<string | undefined> {
    const row = await trx<DestinationRow>('event_destinations')
      .where({ project_id: owner.projectId, id: owner.id })
      .forUpdate()
      .first('secret_sealed');
    if (row === undefined) return undefined;
    const { secret, sealed } = createSecret(owner);
    const before = vault.open(row.secret_sealed, context('secret_sealed', owner));
    await changeRow(
      trx,
      { project_id: owner.projectId, id: owner.id },
      {
        secret_sealed: sealed,
        previous_secret_sealed: seal('previous_secret_sealed', owner, before),
        secret_rotated_at: trx.fn.now(),
      },
    );
    return secret;
  }

  /** The secrets to sign with, the newest first. */
  async function openSecrets(db: Db, owner: Owner): Promise<string[]> {
    const row = await db('event_destinations')
      .where({ project_id: owner.projectId, id: owner.id })
      .first<
        | (Pick<DestinationRow, 'secret_sealed' | 'previous_secret_sealed'> & { is_rotating: boolean })
        | undefined
      >(
        'secret_sealed',
        'previous_secret_sealed',
        db.raw(
          `coalesce(secret_rotated_at > now() - interval '${PREVIOUS_SECRET_HOURS} hours', false) AS is_rotating`,
        ),
      );
    if (row === undefined) return [];
    const secrets = [vault.open(row.secret_sealed, context('secret_sealed', owner))];
    if (row.is_rotating && row.previous_secret_sealed !== null) {
      secrets.push(vault.open(row.previous_secret_sealed, context('previous_secret_sealed', owner)));
    }
    return secrets;
  }

  return { createSecret, rotateSecret, openSecrets };
}
