import { z } from 'zod';
import { credentialsContext, unpackCredentials } from '../../connections/credentials.ts';
import { newId } from '../../lib/ids.ts';
import { createOpaqueToken, sha256 } from '../../lib/opaque-tokens.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';

export const SUBSCRIPTION_STATES = ['manual', 'pending', 'active', 'failing', 'removing'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** A registration as the provider's answer names it. */
export type Registered = {
  readonly id: string | null;
  readonly resourceId: string | null;
  readonly event: string | null;
  /** Chosen by the gateway; absent in registrations of an earlier release. */
  readonly webhookId?: string;
  readonly webhookNumber?: string;
  /** The provider has had the call that it wants after registering. */
  readonly isConfirmed?: boolean;
};

/** Secrets that handshakes brought, by the provider's id of the registration. */
export type HandshakeSecrets = Readonly<Record<string, string>>;

/** More registrations than a subscription has events. */
const HANDSHAKES_MAX = 250;

/** The registration of one address at a provider: of the whole integration, or of one connection. */
export type Subscription = Readonly<{
  id: string;
  projectId: string;
  integrationId: string;
  connectionId: string | null;
  /** Has an address of its own, with an unguessable part. */
  hasAddress: boolean;
  wantedEvents: string[];
  /** What the one who subscribed gave for the provider's requests. */
  parameters: Readonly<Record<string, string>>;
  state: SubscriptionState;
  /** At the provider; there may be one for each event. */
  registrations: readonly Registered[];
  expiresAt: Date | null;
  registeredAt: Date | null;
  lastError: string | null;
  lastErrorAt: Date | null;
  createdAt: Date;
}>;

/** What the receiver needs of an address. */
export type WebhookAddress = {
  readonly subscriptionId: string;
  readonly projectId: string;
  readonly integrationId: string;
  readonly connectionId: string | null;
  readonly secret: string | null;
  readonly handshakes: HandshakeSecrets;
  /** The values of the connection's credential, of which some providers' secrets are made. */
  readonly credential: Readonly<Record<string, string>> | undefined;
};

type Row = {
  id: string;
  project_id: string;
  integration_id: string;
  connection_id: string | null;
  address_hash: Buffer | null;
  address_sealed: string | null;
  secret_sealed: string | null;
  handshakes_sealed: string | null;
  wanted_events: string[];
  parameters: Record<string, string>;
  state: SubscriptionState;
  registrations: Registered[];
  expires_at: Date | null;
  registered_at: Date | null;
  last_error: string | null;
  last_error_at: Date | null;
  created_at: Date;
};

export type SubscriptionsStore = ReturnType<typeof createSubscriptionsStore>;

/** SQL over the registrations of webhook addresses at providers. */
export function createSubscriptionsStore({ vault }: { vault: Vault }) {
  const context = (
    column: 'address_sealed' | 'secret_sealed' | 'handshakes_sealed',
    row: { id: string; project_id: string },
  ) => ({
    table: 'webhook_subscriptions',
    column,
    rowId: row.id,
    projectId: row.project_id,
  });

  function openHandshakes(row: Pick<Row, 'id' | 'project_id' | 'handshakes_sealed'>): Record<string, string> {
    if (row.handshakes_sealed === null) return {};
    return handshakeSecrets.parse(
      JSON.parse(vault.open(row.handshakes_sealed, context('handshakes_sealed', row))),
    );
  }

  function openSecret(row: Row): string | null {
    return row.secret_sealed === null ? null : vault.open(row.secret_sealed, context('secret_sealed', row));
  }

  function openCredential(row: Row & { credentials_sealed: string | null }) {
    if (row.credentials_sealed === null || row.connection_id === null) return undefined;
    const context = credentialsContext(row.connection_id, row.project_id);
    return unpackCredentials(vault.open(row.credentials_sealed, context)).values;
  }

  /**
   * The subscription of the integration, or of the connection; made where there is none. `token` is the unguessable part
   * of its address.
   */
  async function ensure(
    db: Db,
    owner: { projectId: string; integrationId: string; connectionId: string | null },
    wanted: {
      state: SubscriptionState;
      events: readonly string[];
      parameters: Readonly<Record<string, string>>;
      /** Left out: the one that is there stays. */
      secret?: string | undefined;
    },
  ): Promise<{ subscription: Subscription; token: string }> {
    const id = newId();
    const { token, hash } = createOpaqueToken('');
    const row = { id, project_id: owner.projectId };
    await db('webhook_subscriptions')
      .insert({
        ...row,
        integration_id: owner.integrationId,
        connection_id: owner.connectionId,
        address_hash: hash,
        address_sealed: vault.seal(token, context('address_sealed', row)),
        wanted_events: wanted.events,
        parameters: wanted.parameters,
        state: wanted.state,
      })
      .onConflict(db.raw('(integration_id, connection_id)'))
      .merge({
        wanted_events: wanted.events,
        parameters: wanted.parameters,
        state: wanted.state,
        updated_at: db.fn.now(),
      });
    const stored = await db<Row>('webhook_subscriptions')
      .where({ integration_id: owner.integrationId, connection_id: owner.connectionId })
      .first();
    if (stored === undefined) throw new Error('a subscription vanished while it was made');
    const subscription = fromRow(stored);
    if (wanted.secret !== undefined) {
      await update(db, subscription, { secret: wanted.secret });
    }
    return { subscription, token: openAddress(stored) };
  }

  async function update(
    db: Db,
    { id, projectId }: Subscription,
    change: {
      state?: SubscriptionState;
      secret?: string;
      registrations?: readonly Registered[];
      expiresAt?: Date | null;
      registeredAt?: Date;
      lastError?: string | null;
    },
  ): Promise<void> {
    await db('webhook_subscriptions')
      .where({ id, project_id: projectId })
      .update({
        ...(change.state && { state: change.state }),
        ...(change.secret !== undefined && {
          secret_sealed: vault.seal(change.secret, context('secret_sealed', { id, project_id: projectId })),
        }),
        ...(change.registrations && { registrations: JSON.stringify(change.registrations) }),
        ...(change.expiresAt !== undefined && { expires_at: change.expiresAt }),
        ...(change.registeredAt && { registered_at: change.registeredAt }),
        ...(change.lastError !== undefined && {
          last_error: change.lastError,
          last_error_at: change.lastError === null ? null : db.fn.now(),
        }),
        version: db.raw('version + 1'),
        updated_at: db.fn.now(),
      });
  }

  function openAddress(row: Row): string {
    return row.address_sealed === null ? '' : vault.open(row.address_sealed, context('address_sealed', row));
  }

  return {
    ensure,

    /** Of an integration, newest first. */
    async list(
      db: Db,
      integrationId: string,
      beforeId: string | undefined,
      limit: number,
    ): Promise<Subscription[]> {
      const rows = await db<Row>('webhook_subscriptions')
        .where({ integration_id: integrationId })
        .modify((query) => {
          if (beforeId !== undefined) query.where('id', '<', beforeId);
        })
        .orderBy('id', 'desc')
        .limit(limit);
      return rows.map(fromRow);
    },

    async find(db: Db, id: string): Promise<Subscription | undefined> {
      const row = await db<Row>('webhook_subscriptions').where({ id }).first();
      return row && fromRow(row);
    },

    /** The subscription of the integration, or of the connection. */
    async findOfOwner(
      db: Db,
      owner: { integrationId: string; connectionId: string | null },
    ): Promise<(Subscription & { hasSecret: boolean }) | undefined> {
      const row = await db<Row>('webhook_subscriptions')
        .where({ integration_id: owner.integrationId, connection_id: owner.connectionId })
        .first();
      return row && { ...fromRow(row), hasSecret: row.secret_sealed !== null };
    },

    /** With its secrets, for the calls that register it. */
    async open(db: Db, id: string) {
      const row = await db<Row>('webhook_subscriptions').where({ id }).first();
      if (row === undefined) return undefined;
      const secrets = { secret: openSecret(row), handshakes: openHandshakes(row) };
      return { subscription: fromRow(row), token: openAddress(row), ...secrets };
    },

    /** The addresses with these unguessable parts, by `<integration id>/<part>`. */
    async findAddressesOfAnyProject(
      db: Db,
      keys: readonly string[],
    ): Promise<ReadonlyMap<string, WebhookAddress>> {
      const byHash = new Map(keys.map((key) => [hashAddressKey(key).toString('hex'), key]));
      const rows = await db('webhook_subscriptions AS s')
        .leftJoin('connections AS c', 'c.id', 's.connection_id')
        .whereIn('s.address_hash', keys.map(hashAddressKey))
        .select<(Row & { credentials_sealed: string | null })[]>('s.*', 'c.credentials_sealed');
      const found = new Map<string, WebhookAddress>();
      for (const row of rows) {
        const key = byHash.get(row.address_hash?.toString('hex') ?? '') ?? '';
        // The part belongs to one integration: before the address of another one it is unknown.
        if (!key.startsWith(`${row.integration_id}/`)) continue;
        found.set(key, {
          subscriptionId: row.id,
          projectId: row.project_id,
          integrationId: row.integration_id,
          connectionId: row.connection_id,
          secret: openSecret(row),
          handshakes: openHandshakes(row),
          credential: openCredential(row),
        });
      }
      return found;
    },

    /** Takes the secret that a handshake brought, where none is known. False where there was one. */
    async keepFirstSecret(db: Db, id: string, projectId: string, secret: string): Promise<boolean> {
      const sealed = vault.seal(secret, context('secret_sealed', { id, project_id: projectId }));
      const changed = await db('webhook_subscriptions')
        .where({ id, project_id: projectId })
        .whereNull('secret_sealed')
        .update({ secret_sealed: sealed, updated_at: db.fn.now() });
      return changed > 0;
    },

    /**
     * Takes the secret that a handshake brought for one registration, where none is known for it. True also where it is
     * the one that is known: the provider asks again where an answer was lost.
     */
    async keepHandshake(
      trx: Db,
      { id, projectId }: { readonly id: string; readonly projectId: string },
      { registrationId, secret }: { readonly registrationId: string; readonly secret: string },
    ): Promise<boolean> {
      const where = { id, project_id: projectId };
      const row = await trx<Row>('webhook_subscriptions').where(where).forUpdate().first();
      if (row === undefined) return false;
      const known = new Map(Object.entries(openHandshakes(row)));
      if (known.has(registrationId)) return known.get(registrationId) === secret;
      if (known.size >= HANDSHAKES_MAX) return false;
      const text = JSON.stringify(Object.fromEntries(known.set(registrationId, secret)));
      const sealed = vault.seal(text, context('handshakes_sealed', row));
      await trx('webhook_subscriptions')
        .where(where)
        .update({ handshakes_sealed: sealed, updated_at: trx.fn.now() });
      return true;
    },

    update,

    async remove(db: Db, { id, projectId }: Subscription): Promise<void> {
      await db('webhook_subscriptions').where({ id, project_id: projectId }).delete();
    },

    /** Those of a connection, or of an integration. */
    async listOf(
      db: Db,
      owner: { integrationId: string } | { connectionId: string },
    ): Promise<Subscription[]> {
      const rows = await db<Row>('webhook_subscriptions').where(
        'integrationId' in owner
          ? { integration_id: owner.integrationId }
          : { connection_id: owner.connectionId },
      );
      return rows.map(fromRow);
    },

    /** Whether the gateway or an operator registered webhooks of the integration. */
    async hasAny(db: Db, integrationId: string): Promise<boolean> {
      const row = await db('webhook_subscriptions').where({ integration_id: integrationId }).first('id');
      return row !== undefined;
    },
  };
}

const handshakeSecrets = z.record(z.string(), z.string());

/** The hash of the part of an address: the key is `<integration id>/<part>`. */
function hashAddressKey(key: string): Buffer {
  return sha256(key.slice(key.indexOf('/') + 1));
}

function fromRow(row: Row): Subscription {
  return {
    id: row.id,
    projectId: row.project_id,
    integrationId: row.integration_id,
    connectionId: row.connection_id,
    hasAddress: row.address_hash !== null,
    wantedEvents: row.wanted_events,
    parameters: row.parameters,
    state: row.state,
    registrations: row.registrations,
    expiresAt: row.expires_at,
    registeredAt: row.registered_at,
    lastError: row.last_error,
    lastErrorAt: row.last_error_at,
    createdAt: row.created_at,
  };
}
