/** A column that holds vault envelopes, and the SQL of the context that its texts are sealed for. */
export type SealedColumn = {
  readonly table: string;
  readonly column: string;
  /** The primary key: the order in which rows are walked. */
  readonly key: readonly string[];
  readonly rowId: string;
  readonly projectId: string;
};

function ofProject(table: string, ...columns: string[]): SealedColumn[] {
  return columns.map((column) => ({
    table,
    column,
    key: ['id'],
    rowId: 'id::text',
    projectId: 'project_id::text',
  }));
}

/**
 * Every sealed column of the schema, canaries excepted. A migration that adds one adds it here: like the schema it is of the
 * whole store, since a key that is being retired must be found in every table, whatever rooms a process has built. A test
 * compares it with the schema.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...ofProject('signing_keys', 'private_key_sealed'),
  ...ofProject(
    'integrations',
    'client_secret_sealed',
    'previous_client_secret_sealed',
    'webhook_secret_sealed',
    'previous_webhook_secret_sealed',
    'secret_variables_sealed',
  ),
  ...ofProject('configuration_objects', 'digests_sealed'),
  ...ofProject(
    'organization_clients',
    'client_secret_sealed',
    'previous_client_secret_sealed',
    'secret_variables_sealed',
  ),
  ...ofProject('connections', 'credentials_sealed'),
  ...ofProject('approvals', 'call_sealed', 'body_sealed'),
  ...ofProject('agent_artifacts', 'payload_sealed', 'successor_sealed'),
  ...ofProject('agent_sign_ins', 'person_sealed'),
  ...ofProject('connect_sessions', 'pkce_verifier_sealed', 'pending_sealed'),
  ...ofProject('grants_to_revoke', 'request_sealed', 'certificate_sealed', 'consent_sealed'),
  ...ofProject('user_erasures', 'person_sealed'),
  {
    table: 'project_pseudonym_keys',
    column: 'key_sealed',
    key: ['project_id'],
    rowId: 'project_id::text',
    projectId: 'project_id::text',
  },
  {
    table: 'projects',
    column: 'agent_sign_in_secret_sealed',
    key: ['id'],
    rowId: 'id::text',
    projectId: 'id::text',
  },
  ...ofProject('event_destinations', 'secret_sealed', 'previous_secret_sealed', 'kafka_password_sealed'),
  ...ofProject('webhook_subscriptions', 'address_sealed', 'secret_sealed', 'handshakes_sealed'),
  {
    table: 'data_keys',
    column: 'key_sealed',
    key: ['project_id', 'day'],
    rowId: 'day::text',
    projectId: 'project_id::text',
  },
  {
    table: 'operator_otps',
    column: 'secret_sealed',
    key: ['operator_id'],
    rowId: 'operator_id::text',
    projectId: `''`,
  },
  {
    table: 'idempotency_keys',
    column: 'reply_sealed',
    key: ['principal', 'key'],
    rowId: `principal || ' ' || key`,
    projectId: `''`,
  },
];
