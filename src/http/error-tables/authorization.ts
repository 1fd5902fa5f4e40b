import { type ErrorEntry, permanent, retryable } from './entry.ts';

/** Authorization of a provider. */
export const AUTHORIZATION_ERRORS = {
  connect_session_not_found: permanent(
    404,
    'Connect session not found',
    'There is no such connect session.',
    'Start the authorization again from the application.',
  ),
  session_expired: permanent(
    410,
    'Connect session expired',
    'The connect session was not completed in time.',
    'Start the authorization again from the application.',
  ),
  session_used: permanent(
    409,
    'Connect session already used',
    'A connect session works once, and this one has been used.',
    'Start the authorization again from the application.',
  ),
  completion_code_invalid: permanent(
    403,
    'Completion refused',
    'The completion code does not belong to this connect session and this user.',
    'Complete the session with the code from the closing page, as the user who started it.',
  ),
  invalid_state: permanent(
    403,
    'Authorization not recognised',
    'The authorization response belongs to no authorization that is still open.',
    'Start the authorization again from the application, and finish it in the same window.',
  ),
  flow_binding_failed: permanent(
    403,
    'Other browser',
    'The authorization was started in another browser, or cookies are blocked.',
    'Start and finish the authorization in the same browser, with cookies allowed.',
  ),
  access_denied: permanent(
    403,
    'Access denied',
    'The authorization was declined at the provider.',
    'Start again and allow access; some providers need an administrator for this.',
  ),
  account_mismatch: permanent(
    409,
    'Another account',
    'The connection was authorized again with a different account at the provider.',
    'Sign in to the same account at the provider, or make a new connection for the other account.',
  ),
  tenant_unknown: permanent(
    422,
    'Tenant not reached',
    'The grant of the connection does not reach this site, organization or account.',
    'Send one of the ids that `GET /v1/connections/{id}/tenants` lists, or authorize again with access to it.',
  ),
  tenant_missing: permanent(
    422,
    'No tenant reached',
    'The grant reaches no site, organization or account of the provider that calls could go to.',
    'Let the user authorize again and give access to at least one, with enough rights there.',
  ),
  application_variables_refused: permanent(
    403,
    'Variables of the application',
    'For whom a key of the integration acts is the word of the application: a user token cannot give it.',
    'Make the connect session from the backend, with an API key, `userId` and `variables`; leave `variables` out of requests with a user token.',
  ),
  organization_role_missing: permanent(
    403,
    'Not for this user to manage',
    'Connections of an organization are made, changed and ended by users whose token says so, or by an API key.',
    'Issue the user a token with their organization in `org` and `connections:manage` in `gateway_roles`, or make the connect session with an API key and `organizationId`.',
  ),
  application_variables_missing: permanent(
    422,
    'Variables of the application missing',
    'The integration holds the key of the provider, and the application has not said for whom it acts.',
    'Make the connect session from the backend, with an API key, `userId`, and the `variables` that the catalog lists with `from: application`; or set them at the integration, for all of its connections.',
  ),
  tenants_unsupported: permanent(
    422,
    'No tenants to choose',
    'A grant of this provider reaches one account only, or the catalog knows no list of them.',
    'Leave out the tenant.',
  ),
  tenants_unavailable: retryable(
    502,
    'Tenants not listed',
    'The provider did not list what the grant reaches.',
    'Try again; if it persists, read the detail, and compare the scopes of the connection with those that the list needs.',
  ),
  missing_scopes: permanent(
    422,
    'Scopes missing',
    'The provider granted fewer scopes than the integration requires.',
    'Grant all the scopes, and see that the scopes of the provider app match those of the integration.',
  ),
  provider_error: retryable(
    502,
    'Provider reported an error',
    'The provider ended the authorization with an error.',
    'Try again; if it persists, look up the code that the page shows in the documentation of the provider.',
  ),
  reauthorization_required: permanent(
    424,
    'Reauthorization required',
    'The provider no longer accepts the authorization of this connection.',
    'Let the user authorize the same connection again with a connect session that names its `connectionId`.',
  ),
} as const satisfies Record<string, ErrorEntry>;
