/** Where an operator does what a finding asks for: in a form of the integration's page, or on another page. */
export type RemedyPlace =
  | 'edit'
  | 'secret'
  | 'polls'
  | 'destinations'
  | 'webhooks'
  | 'lost'
  | 'connections'
  | 'calls'
  | 'tokens'
  | 'project'
  | 'gateway';

const CODES: readonly (readonly [RemedyPlace, readonly string[]])[] = [
  [
    'edit',
    [
      ...['client_id_unknown', 'client_key_refused', 'region_wrong', 'tenant_wrong', 'scopes_refused'],
      ...['scope_not_granted', 'scope_not_asked', 'authorization_refused', 'poll_scope_missing'],
      ...['token_endpoint_page', 'provider_address_refused', 'client_certificate_unusable'],
      ...['client_certificate_expired', 'client_certificate_expires_soon', 'client_swapped'],
    ],
  ],
  [
    'secret',
    [
      ...['client_secret_missing', 'client_secret_refused', 'client_secret_older_used', 'client_refused'],
      ...['client_secret_expired', 'client_secret_expires_soon', 'webhook_client_secret_wrong'],
    ],
  ],
  ['polls', ['polls_failing', 'project_storage_full']],
  ['destinations', ['destinations_failing']],
  [
    'webhooks',
    [
      ...[
        'webhook_secret_wrong',
        'webhook_of_other_integration',
        'webhook_url_differs',
        'webhook_sender_unproven',
        'webhook_never_came',
      ],
    ],
  ],
  ['lost', ['credential_not_accepted', 'refresh_refused', 'grant_revoked']],
  [
    'connections',
    ['calls_refused', 'refresh_failing', 'refresh_slow', 'connection_unprovable', 'external_id_not_demanded'],
  ],
  ['calls', ['calls_not_found']],
  ['tokens', ['tokens_refused']],
  ['project', ['origin_not_allowed', 'return_url_not_registered', 'project_frozen']],
  ['gateway', ['public_url_differs', 'gateway_restored']],
];

const PLACES = new Map(
  CODES.flatMap(([place, codes]) => codes.map((code): [string, RemedyPlace] => [code, place])),
);

/** Undefined for what is done at the provider or in the application, and for what needs nothing. */
export function findRemedyPlace(code: string): RemedyPlace | undefined {
  return PLACES.get(code);
}
