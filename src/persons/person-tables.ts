/** How the rows of a table that may name a person, or hold what is theirs, come to an end when the person is erased. */
type Ending =
  /** By a step of `erase-person`. */
  | 'erased'
  /** With the row that they belong to. */
  | 'with_connection'
  | 'with_user'
  /** What names the person is replaced. */
  | 'pseudonym'
  /** Sealed, on its way, and gone within the hour. */
  | 'expires'
  /** It names nobody: ids that lead nowhere once the rest is gone. */
  | 'meaningless';

/**
 * Every table with a column that refers to a user or a connection, or holds what providers say of an account, and why
 * nothing of an erased person stays in it. A test compares it with the schema: a new table has to be thought of here.
 */
export const PERSON_TABLES: Readonly<Record<string, Ending>> = {
  activity: 'pseudonym',
  agent_consents: 'with_user',
  agent_sign_ins: 'expires',
  approvals: 'with_user',
  connect_sessions: 'erased',
  connections: 'erased',
  deliveries: 'erased',
  end_users: 'erased',
  erased_accounts: 'pseudonym',
  event_destinations: 'meaningless',
  event_outbox: 'erased',
  events: 'erased',
  gateway_restore_deaths: 'with_connection',
  grants_to_revoke: 'pseudonym',
  idempotency_keys: 'erased',
  organization_clients: 'with_user',
  poll_connections: 'with_connection',
  poll_records: 'erased',
  portal_sessions: 'with_user',
  recent_calls: 'erased',
  token_revocations: 'pseudonym',
  user_erasure_connections: 'erased',
  user_erasure_outcomes: 'meaningless',
  user_erasures: 'pseudonym',
  webhook_receipts: 'erased',
  webhook_subscriptions: 'with_connection',
  webhook_unmatched: 'erased',
};

/** Names of columns that refer to a person, their connections or their accounts, or hold what is said of these. */
export const PERSON_COLUMNS =
  /^(end_user_id|connection_ids?|subject|account|account_id|account_name|object_id|person_sealed|reply_sealed|account_pseudonym)$/;
