import { z } from 'zod';
import type { Vault } from '../../platform/vault.ts';
import type {
  AwaitedHandshake,
  HandshakeSecrets,
  Registered,
  Subscription,
  SubscriptionState,
} from './subscription.ts';

export type SubscriptionRow = {
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

type Sealed = 'address_sealed' | 'secret_sealed' | 'handshakes_sealed';

const handshakeSecrets = z.record(z.string(), z.string());

/** Stands among the secrets: no id of a registration has a blank. */
const AWAITED = ' awaited';

/** The text as it is stored in the column of this row, and opens there only. */
export function sealColumn(
  vault: Vault,
  column: Sealed,
  row: Pick<SubscriptionRow, 'id' | 'project_id'>,
  text: string,
): string {
  return vault.seal(text, describeColumn(column, row));
}

function openColumn(
  vault: Vault,
  column: Sealed,
  row: Pick<SubscriptionRow, 'id' | 'project_id'>,
  sealed: string | null,
): string | null {
  return sealed === null ? null : vault.open(sealed, describeColumn(column, row));
}

function describeColumn(column: Sealed, row: Pick<SubscriptionRow, 'id' | 'project_id'>) {
  return { table: 'webhook_subscriptions', column, rowId: row.id, projectId: row.project_id };
}

/** The unguessable part of the address. */
export function openAddress(vault: Vault, row: SubscriptionRow): string {
  return openColumn(vault, 'address_sealed', row, row.address_sealed) ?? '';
}

export function openSecret(vault: Vault, row: SubscriptionRow): string | null {
  return openColumn(vault, 'secret_sealed', row, row.secret_sealed);
}

export function openHandshakes(vault: Vault, row: SubscriptionRow): HandshakeSecrets {
  const { [AWAITED]: _awaited, ...secrets } = openWholeHandshakes(vault, row);
  return secrets;
}

/** What was awaited last, also where its time is over. */
export function openAwaited(vault: Vault, row: SubscriptionRow): AwaitedHandshake | undefined {
  const [webhookId, until] = (openWholeHandshakes(vault, row)[AWAITED] ?? '').split(' ');
  return webhookId && until ? { webhookId, until: new Date(until) } : undefined;
}

export function sealHandshakes(
  vault: Vault,
  row: Pick<SubscriptionRow, 'id' | 'project_id'>,
  secrets: HandshakeSecrets,
  awaited: AwaitedHandshake | undefined,
): string {
  const marker = awaited && { [AWAITED]: `${awaited.webhookId} ${awaited.until.toISOString()}` };
  return sealColumn(vault, 'handshakes_sealed', row, JSON.stringify({ ...secrets, ...marker }));
}

function openWholeHandshakes(vault: Vault, row: SubscriptionRow): Readonly<Record<string, string>> {
  const text = openColumn(vault, 'handshakes_sealed', row, row.handshakes_sealed);
  return text === null ? {} : handshakeSecrets.parse(JSON.parse(text));
}

export function toSubscription(row: SubscriptionRow): Subscription {
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
