import type { Db } from '../../platform/postgres/database.ts';
import { openOrElse, type Vault } from '../../platform/vault.ts';
import type { Target } from '../sending/sender.ts';
import { createSigningSecret } from '../sending/standard-webhooks.ts';
import type { Destination } from './destination.ts';
import { changeRow, type DestinationRow } from './destination-rows.store.ts';

/** How long the secret before a rotation signs as well. */
export const PREVIOUS_SECRET_HOURS = 24;

type SealedColumn = 'secret_sealed' | 'previous_secret_sealed' | 'kafka_password_sealed';

/** Where messages go, and what signs them. */
export type Outlet = { readonly target: Target; readonly secrets: readonly string[] };

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

  /** The column of the password for a topic. */
  function sealPassword(owner: Owner, password: string | null | undefined) {
    const column = 'kafka_password_sealed';
    if (password === undefined) return {};
    return { [column]: password === null ? null : seal(column, owner, password) };
  }

  /** Where messages of the destination go, and the secrets that sign them, the newest first. Undefined: it is gone. */
  async function openOutlet(db: Db, owner: Destination): Promise<Outlet | undefined> {
    const row = await db('event_destinations')
      .where({ project_id: owner.projectId, id: owner.id })
      .first<(Pick<DestinationRow, SealedColumn> & { is_rotating: boolean }) | undefined>(
        'secret_sealed',
        'previous_secret_sealed',
        'kafka_password_sealed',
        db.raw(
          `coalesce(secret_rotated_at > now() - interval '${PREVIOUS_SECRET_HOURS} hours', false) AS is_rotating`,
        ),
      );
    if (row === undefined) return undefined;
    const secrets = [vault.open(row.secret_sealed, context('secret_sealed', owner))];
    if (row.is_rotating && row.previous_secret_sealed !== null) {
      secrets.push(vault.open(row.previous_secret_sealed, context('previous_secret_sealed', owner)));
    }
    const sealed = row.kafka_password_sealed;
    const password = sealed === null ? '' : vault.open(sealed, context('kafka_password_sealed', owner));
    return { target: targetOf(owner, password), secrets };
  }

  /** The passwords for topics of a project, by destination, for comparing them: none where one cannot be unsealed. */
  async function openPasswords(db: Db, projectId: string): Promise<ReadonlyMap<string, string>> {
    const rows = await db<DestinationRow>('event_destinations')
      .where({ project_id: projectId })
      .whereNotNull('kafka_password_sealed')
      .select('id', 'kafka_password_sealed');
    return new Map(
      rows.flatMap(({ id, kafka_password_sealed: sealed }) => {
        const place = context('kafka_password_sealed', { id, projectId });
        const password = openOrElse(() => vault.open(sealed ?? '', place), undefined);
        return password === undefined ? [] : [[id, password] as const];
      }),
    );
  }

  return { createSecret, rotateSecret, sealPassword, openOutlet, openPasswords };
}

function targetOf({ id, version, url, kafka }: Destination, password: string): Target {
  const key = `${id} ${version}`;
  if (kafka === null) return { key, url, kafka };
  return { key, url, kafka: { ...kafka, sasl: kafka.sasl && { ...kafka.sasl, password } } };
}
