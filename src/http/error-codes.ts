/** One row of the public error table; `meaning` is the default `detail` of a problem. */
type ErrorEntry = {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
  readonly retryable: boolean;
  /** What callers read as the code, where it is not the entry's own name. */
  readonly code?: string;
};

/** The same request will fail again until the caller or an operator changes something. */
function permanent(status: number, title: string, meaning: string, remedy: string): ErrorEntry {
  return { status, title, meaning, remedy, retryable: false };
}

/** The same request may well succeed later. */
function retryable(status: number, title: string, meaning: string, remedy: string): ErrorEntry {
  return { status, title, meaning, remedy, retryable: true };
}

/**
 * Every error code of the gateway's own answers. Codes are API: they are added, never renamed or given another
 * status. The table is shown at /docs/errors and decides what the caller reads.
 */
export const ERRORS = {
  // The request itself
  invalid_request: permanent(
    400,
    'Invalid request',
    'The request has a missing, unknown or malformed parameter or member.',
    'Correct what `errors` lists; the API reference shows every parameter.',
  ),
  invalid_json: permanent(
    400,
    'Invalid JSON',
    'The request body is not well-formed JSON in UTF-8.',
    'Send one JSON value, encoded in UTF-8, without comments or trailing commas.',
  ),
  invalid_path: permanent(
    400,
    'Path refused',
    'The path holds dot-segments, backslashes, control characters or bytes outside ASCII, which providers rewrite.',
    'Percent-encode the path and leave out dot-segments and backslashes.',
  ),
  invalid_callback: permanent(
    400,
    'Invalid callback',
    'The authorization response lacks a parameter, or has one twice.',
    'Start the authorization again from the application.',
  ),
  invalid_return_url: permanent(
    400,
    'Return URL not registered',
    'The return URL is not one of the return URLs of the project.',
    'Add exactly this URL to `returnUrls` of the project, or send one that is listed there.',
  ),
  not_found: permanent(
    404,
    'Not found',
    'There is nothing at this address, or it belongs to somebody else.',
    'Check the address, the id, and that the credentials belong to the same project.',
  ),
  events_expired: permanent(
    410,
    'Events no longer kept',
    'The events after this id are partly older than what is kept, so that some may have been missed.',
    'Read on without `after`, from the oldest event that is kept, and synchronize again what may be missing.',
  ),
  method_not_allowed: permanent(
    405,
    'Method not allowed',
    'This address exists, but does not take this method.',
    'Use one of the methods in the `Allow` header.',
  ),
  precondition_failed: permanent(
    412,
    'Changed in the meantime',
    'The resource is no longer the version that `If-Match` names.',
    'Read the resource again, apply the change to what you get, and send its new `ETag` in `If-Match`.',
  ),
  body_too_large: permanent(
    413,
    'Body too large',
    'The request body is larger than the limit.',
    'Send less at a time; for proxied calls an operator can raise PROXY_REQUEST_BODY_BYTES_MAX.',
  ),
  body_too_large_to_sign: permanent(
    413,
    'Body too large to sign',
    'The provider wants the body signed, which needs all of it at once.',
    'Send less at a time. A client of AWS that sends X-Amz-Content-Sha256 with the SHA-256 of the body may send bodies of any length.',
  ),
  signed_body_not_supported: permanent(
    400,
    'Signed chunks not supported',
    'The client signed each chunk of the body with its own keys, which the provider would refuse.',
    'Have the client send the body in one piece, or its chunks unsigned (S3: payload signing or chunked encoding switched off).',
  ),
  request_timeout: retryable(
    408,
    'Request incomplete',
    'The request body did not arrive in time.',
    'Send the whole body without long pauses.',
  ),
  uri_too_long: permanent(
    414,
    'URI too long',
    'The request target is longer than the limit.',
    'Shorten the URL.',
  ),
  unsupported_media_type: permanent(
    415,
    'Unsupported media type',
    'The request body is not declared as JSON in UTF-8.',
    'Send `Content-Type: application/json` and encode the body in UTF-8.',
  ),
  expectation_failed: permanent(
    417,
    'Expectation not supported',
    'Only `Expect: 100-continue` is understood.',
    'Leave out the `Expect` header.',
  ),
  headers_too_large: permanent(
    431,
    'Header fields too large',
    'The header fields of the request are larger than the limit.',
    'Send fewer or shorter header fields.',
  ),
  upgrade_not_supported: permanent(
    501,
    'Upgrade not supported',
    'The proxy forwards plain HTTP requests; it does not switch to WebSocket or any other protocol.',
    'Call the provider with plain HTTP requests.',
  ),

  // Who is calling
  token_missing: permanent(
    401,
    'Credentials missing',
    'The request carries no credentials.',
    'Send `Authorization: Bearer <token>`.',
  ),
  token_invalid: permanent(
    401,
    'Credentials refused',
    'The credentials are not valid here.',
    'Check that the token is complete, is meant for this project, and that its key has not been revoked.',
  ),
  token_expired: permanent(
    401,
    'Token expired',
    'The token was valid, but has expired.',
    'Get a new token and repeat the request with it.',
  ),
  token_revoked: permanent(
    401,
    'Token revoked',
    'The token was valid, but has been revoked.',
    'Let the user sign in again where the token comes from, and use the new token.',
  ),
  signed_out: permanent(401, 'Signed out', 'The session of this browser has ended.', 'Sign in again.'),
  otp_required: permanent(
    401,
    'Code required',
    'This account has a second factor.',
    'Send the code that the authenticator app shows, or a recovery code, as `otp` beside the password.',
  ),
  otp_invalid: permanent(
    401,
    'Code refused',
    'The code is wrong, too old, or was used before.',
    'Wait for the next code of the authenticator app, see that the clock of the device is right, or use a recovery code.',
  ),
  otp_already_enabled: permanent(
    409,
    'Second factor in use',
    'The account has a second factor.',
    'Switch it off first, with the password and a code.',
  ),
  link_invalid: permanent(
    410,
    'Link no longer valid',
    'The link was used, withdrawn or replaced, or it has expired.',
    'Ask for a new one: a link works once, for a limited time.',
  ),
  csrf_rejected: permanent(
    403,
    'Not from a page of the gateway',
    'A request with the session cookie changes something only when a page of the gateway itself sends it.',
    'Open the gateway at its PUBLIC_URL. Programs use a personal access token and no cookie.',
  ),
  address_unverified: permanent(
    403,
    'Address not verified',
    'It is not known that the e-mail address of your account is yours.',
    'Ask on the sign-in page for a link to a new password by mail, or have an administrator of the server run `npm run operator -- reset-password <email>`.',
  ),
  sign_in_too_old: permanent(
    403,
    'Sign in again',
    'This takes a sign-in of the last ten minutes, since your account has no password to ask for.',
    'Sign in again in this browser, and repeat it within ten minutes.',
  ),
  forbidden: permanent(
    403,
    'Forbidden',
    'These credentials do not allow this.',
    'Do what the detail says, or use other credentials.',
  ),
  mandate_denied: permanent(
    403,
    'Outside of the mandate',
    'The token has a mandate (`authorization_details`), and no entry of it allows this call.',
    'Ask for a token whose mandate allows the method and path that the detail names.',
  ),
  mandate_frozen: permanent(
    403,
    'Mandate frozen',
    'The token’s mandate (`gateway_mandate`) is frozen: nothing that refers to it is allowed for now.',
    'Ask the operator of the project, who can set the mandate to `active` again.',
  ),
  mandate_required: permanent(
    403,
    'Mandate required',
    'The project takes only tokens with a mandate, and this one has none.',
    'Ask for a token with `authorization_details` or `gateway_mandate`; docs/mandates.md explains both.',
  ),
  project_frozen: permanent(
    423,
    'Project frozen',
    'An operator has frozen the project: nothing of it reaches a provider for now.',
    'Ask the operator of the project, who can let it go on with `POST /v1/projects/{projectId}/unfreeze`. Nothing was revoked by freezing.',
  ),
  gateway_restored: retryable(
    503,
    'Restored and not resumed',
    'The gateway runs on a restored backup, and the access token has to be refreshed first, which waits until an owner resumes it.',
    'Try again later. An owner of the gateway resumes it with `POST /v1/gateway/resume`; docs/operations.md says what happens then.',
  ),
  gateway_not_held: permanent(
    409,
    'Nothing to resume',
    'The gateway is not held by a restore, or is being resumed already.',
    'Read `GET /v1/gateway/restore`. A gateway is held where it is started with RESTORED=true on a restored backup.',
  ),
  project_revocation_not_found: permanent(
    404,
    'Report not found',
    'The project has no such report of revoking everything.',
    'Take the id from `GET /v1/projects/{projectId}/revocation-reports`. Reports are kept as long as the audit log.',
  ),
  connection_needed: permanent(
    424,
    'Connection needed',
    'The user has not connected an account at this provider, or has to authorize it again.',
    'Have the user open `connectUrl`, or go on there, and copy the code of its last page; call the tool `connect` with it as `completionCode`, then repeat the call.',
  ),
  connection_declined: permanent(
    403,
    'Connection declined',
    'The user does not want to connect an account now.',
    'Go on without it, or ask the user what they would like instead.',
  ),
  answer_too_large: permanent(
    502,
    'Answer too large',
    'The answer of the provider is larger than a tool call takes.',
    'Ask the provider for less: a smaller page, fewer fields, one object.',
  ),
  answer_changed: permanent(
    409,
    'Answer changed',
    'The provider answers something else than when the cursor was given out.',
    'Make the call again without `cursor`, and read on from its `nextCursor`.',
  ),
  mandate_invalid: permanent(
    403,
    'Mandate not understood',
    'The claim `authorization_details` of the token holds an entry of type `gateway_access` that cannot be read, so that the token allows nothing.',
    'Correct what the detail names; docs/mandates.md has the members of an entry.',
  ),
  scope_missing: permanent(
    403,
    'Scope missing',
    'The API key lacks a scope that this operation takes.',
    'Use a key that has the scope which the detail names, or have an operator add it to the key.',
  ),
  address_not_allowed: permanent(
    403,
    'Address not allowed',
    'The key or token is good, but it is bound to addresses, and the request comes from another one.',
    'Call from an allowed address, or have `allowedAddresses` of the key or token changed. Behind a proxy see that TRUST_PROXY is right.',
  ),
  approval_required: permanent(
    403,
    'Approval required',
    'The mandate of the token wants a person to approve this call, which waits for that now.',
    'Show the person the address in `approvalUrl`. Once they have approved, send the same call again, byte for byte, with the header field `Gateway-Approval` and the value of `approvalId`.',
  ),
  approval_rejected: permanent(
    403,
    'Approval refused',
    'A person has looked at this call and refused it.',
    'Do not send it again. Ask the person what they want instead.',
  ),
  approval_used: permanent(
    409,
    'Approval used',
    'The approval was spent when this call was sent, or was about to be: an approval is good for sending once, whatever became of it.',
    'Find out at the provider whether the call was carried out. To send it again, leave `Gateway-Approval` out and ask for a new approval.',
  ),
  approval_declined: permanent(
    403,
    'Approval page not opened',
    'The user did not want to look at the page on which this call would be approved.',
    'Go on without the call, or ask the user what they would like instead.',
  ),
  approval_decided: permanent(
    409,
    'No longer to be decided',
    'The approval was decided, used, or has expired.',
    'Read it again: `state` says what became of it.',
  ),
  approval_limit: retryable(
    429,
    'Too many calls wait for approval',
    'As many calls wait for a person as may wait at once, or they were asked for too fast.',
    'Have those that wait decided, or wait until they expire, a quarter of an hour after they were asked for.',
  ),
  forbidden_principal: permanent(
    403,
    'Wrong kind of credentials',
    'This operation is for another kind of caller.',
    'Use credentials of a kind that the detail names.',
  ),
  user_required: permanent(
    403,
    'An end user is required',
    'This operation acts for one end user, and a project API key stands for none.',
    'Send a user token, or use the operation that lists what belongs to the whole project.',
  ),
  limit_reached: permanent(
    409,
    'Limit reached',
    'There are as many of these as there may be.',
    'Delete those that are not used, or ask who runs the gateway to raise the limit; `detail` names it.',
  ),
  project_storage_full: retryable(
    503,
    'Storage of the project is full',
    'The project keeps as much in the gateway as it may, so that this was not kept.',
    'Send it again later; what is older than its retention makes room. Who runs the gateway may raise PROJECT_STORAGE_MIB_MAX.',
  ),
  insufficient_role: permanent(
    403,
    'Role does not allow this',
    'Your role in the project does not allow this operation.',
    'Ask an owner of the project to do it or to raise your role.',
  ),
  invalid_origin: permanent(
    403,
    'Origin not allowed',
    'The web origin of this request is not one of the allowed origins of the project.',
    'Add the exact origin (scheme, host and port) to `allowedOrigins` of the project.',
  ),

  // First set-up
  already_set_up: permanent(
    409,
    'Already set up',
    'The first operator exists already.',
    'Sign in to the dashboard. Where the password is lost, `npm run operator -- reset-password <email>` on the server prints a link to a new one.',
  ),
  setup_token_invalid: permanent(
    403,
    'Set-up token refused',
    'The one-time set-up token is not the current one.',
    'Use the link that the gateway printed at its latest start, or the value of SETUP_TOKEN.',
  ),

  // Repeats and limits
  idempotency_key_reused: permanent(
    422,
    'Idempotency key reused',
    'This `Idempotency-Key` came with another request before.',
    'Make a new key for each new request, and keep the key only for retries of the same request.',
  ),
  idempotency_in_progress: retryable(
    409,
    'First request still running',
    'A request with this `Idempotency-Key` has not finished yet.',
    'Wait a moment and send the same request again to get its reply.',
  ),
  rate_limited: retryable(
    429,
    'Too many requests',
    'The rate limit for these credentials or this address is used up.',
    'Wait for the seconds in `Retry-After`, and spread requests by the `RateLimit` header.',
  ),

  // Projects, integrations, connections
  project_not_found: permanent(
    404,
    'Project not found',
    'There is no such project, or these credentials do not reach it.',
    'Check the project id and whose credentials you use.',
  ),
  provider_unknown: permanent(
    404,
    'Provider unknown',
    'The catalog has no provider of this name.',
    'Use an `id` from `GET /v1/providers`; names are lower case.',
  ),
  provider_ended: permanent(
    422,
    'Provider ended',
    'This provider, or the part of it that the entry is for, no longer exists; integrations are no longer made for it.',
    'See `statusNote` of the provider in `GET /v1/providers/{provider}` for what takes its place.',
  ),
  host_unknown: permanent(
    404,
    'API host unknown',
    'The provider has no further API host of this name.',
    'Use a name from `hosts` of `GET /v1/providers/{id}`, or leave `~` and the name out for the API base.',
  ),
  integration_not_found: permanent(
    404,
    'Integration not found',
    'The project has no such integration.',
    'Create an integration for the provider, or check the id.',
  ),
  user_erasure_not_found: permanent(
    404,
    'Erasure not found',
    'The project has no report of this id.',
    'List the erasures of the project; a report stays for as long as the audit log.',
  ),
  user_not_found: permanent(
    404,
    'User not found',
    'The project knows no user by this id, neither as your own id nor as `integrationUserId`.',
    'Check the id against `GET /v1/projects/{projectId}/users`; in a path it is percent-encoded.',
  ),
  user_ambiguous: permanent(
    409,
    'Two users by this id',
    'The id is the own id of one user and the `integrationUserId` of another.',
    'Name the user by the other of their two ids, as `GET /v1/projects/{projectId}/users` lists them.',
  ),
  integration_disabled: permanent(
    403,
    'Integration switched off',
    'The integration has been switched off.',
    'The detail has the reason. Nothing was revoked: calls work again once an operator switches it on, with `PATCH /v1/integrations/{id}` and `"disabled": null` or in the dashboard.',
  ),
  integration_not_allowed: permanent(
    403,
    'Integration not allowed',
    'This connect session may not use that integration.',
    'Choose one of the session’s `integrationIds`, or start another session.',
  ),
  integration_secret_not_found: permanent(
    404,
    'Secret not found',
    'The integration has no such secret.',
    'List its secrets and check the id.',
  ),
  connection_not_found: permanent(
    404,
    'Connection not found',
    'There is no such connection, or it belongs to another user.',
    'Let the user authorize the provider first, or check the id.',
  ),
  agent_sign_in_invalid: permanent(
    400,
    'Sign-in no longer valid',
    'The sign-in of this client is over, or was begun in another browser: it counts for half an hour, once, in the browser in which it began.',
    'Start again in the assistant, and stay in one browser. The page of the application hands back the `state` that it was opened with.',
  ),
  agent_sign_in_unbound: permanent(
    400,
    'Token not made for this sign-in',
    'The user token has no claim `nonce` with the `state` of this sign-in, so that it may have been made for another purpose.',
    'Have the application make a token with `nonce` for the person who is signed in there: docs/agents.md shows the page.',
  ),
  agent_sign_in_unavailable: permanent(
    403,
    'No signing in for agents',
    'The project has neither a page nor an OpenID provider that signs people in for agents.',
    'An operator sets `agentSignIn` of the project, or gives the client a user token of the application.',
  ),
  agent_sign_in_provider_unavailable: retryable(
    503,
    'OpenID provider unavailable',
    'The OpenID provider of the project, at which people sign in for agents, did not answer.',
    'Try again in a few minutes. If it stays so, check that its `issuer` can be reached from the gateway.',
  ),
  agent_sign_in_provider_failed: permanent(
    502,
    'OpenID provider’s answer refused',
    'What the OpenID provider of the project has answered proves nothing: its issuer, state, nonce, signature or time is not what it has to be.',
    'Start again in the assistant. If it stays so, compare `issuer` with the provider’s discovery document, and the clocks; the log says the reason under the request id.',
  ),
  agent_sign_in_client_refused: permanent(
    502,
    'OpenID provider refuses the client',
    'The OpenID provider of the project does not accept the gateway as its client.',
    'Correct `clientId` and `clientSecret` of `agentSignIn.openid`, and register `<PUBLIC_URL>/agents/signed-in/<project id>` as a redirect URI there.',
  ),
  agent_sign_in_user_unknown: permanent(
    403,
    'ID token without the user',
    'The ID token has no usable claim with the application’s id of the user, or an e-mail address that is not verified.',
    'Have the provider put the claim `agentSignIn.openid.userIdClaim` into ID tokens, or name another: 1 to 255 characters that do not begin with `operator:`.',
  ),
  agent_registration_off: permanent(
    403,
    'No registration of clients',
    'The project lets no clients register themselves.',
    'Use a client with a metadata document, or have an operator set `agentSignIn.dynamicRegistration` of the project.',
  ),
  agent_registration_full: retryable(
    503,
    'Too many clients',
    'The project has as many clients that registered themselves as it can hold, all of them in use.',
    'Withdraw consents that are not needed (`/v1/agent-consents`); clients without one are forgotten after a while.',
  ),
  agent_consent_not_found: permanent(
    404,
    'Consent not found',
    'There is no such consent, it is of another user, or it has ended.',
    'Check the id; `GET /v1/agent-consents` lists them.',
  ),
  approval_not_found: permanent(
    404,
    'Approval not found',
    'There is no such approval, it is of another user, or it has been forgotten: that is a day after its end.',
    'Check the id, and whose token or key it is asked with.',
  ),
  poll_not_found: permanent(
    404,
    'Poll not found',
    'There is no such poll in a project of yours.',
    'Check the id; `GET /v1/polls` lists them.',
  ),
  call_not_found: permanent(
    404,
    'Call not kept',
    'No call of this project with this request id is kept.',
    'Failures, slow calls and a sample of the others are kept for some days; the log has a line for every call.',
  ),
  poll_exists: permanent(
    409,
    'Such a poll exists',
    'The integration has a poll of records of this type, with the same parameters.',
    'Change that poll, or delete it first; `GET /v1/polls?integrationId=` shows it.',
  ),
  poll_paused: permanent(
    409,
    'Poll paused',
    'The poll is paused, so it does not run.',
    'Resume it by `POST /v1/polls/{id}/resume`; it then runs at once.',
  ),
  provider_exists: permanent(
    409,
    'Provider exists already',
    'The project has a provider of its own with this id.',
    'Change the existing provider, or choose another id.',
  ),
  integrations_exist: permanent(
    409,
    'Integrations exist',
    'The provider still has integrations.',
    'Delete the integrations of the provider first.',
  ),
  secret_in_use: permanent(
    409,
    'Secret in use',
    'The newer secret is the one that the gateway uses: only the older one can be dropped.',
    'Set a new secret with `PATCH /v1/integrations/{id}`; then the one before can be dropped.',
  ),
  webhook_handshake_unused: permanent(
    409,
    'No handshake to wait for',
    'No handshake of this provider brings the webhook secret of the integration’s address.',
    'Set `webhookSecret` of the integration where the provider signs with a secret of its own, or subscribe with `POST /v1/integrations/{id}/subscriptions`.',
  ),
  webhook_secret_known: permanent(
    409,
    'Webhook secret known',
    'The integration has a webhook secret, and a handshake is taken only while there is none.',
    'To take another one, set `webhookSecret` to null with `PATCH /v1/integrations/{id}`, drop the older one of `/v1/integrations/{id}/secrets`, and ask again.',
  ),
  grant_in_use: permanent(
    409,
    'Grant in use',
    'Connections were made with the integration’s present grant, and another one cannot use their credentials.',
    'Create a second integration of the provider with the other grant, or delete the connections first.',
  ),
  connections_exist: permanent(
    409,
    'Connections exist',
    'The integration or project still has connections.',
    'Delete its connections first, or repeat with `?force=true` to delete them with it.',
  ),
  integration_ambiguous: permanent(
    409,
    'Several integrations fit',
    'The project has several integrations of this provider.',
    'Name one of `integrationIds` in the field that the detail names.',
  ),
  connection_ambiguous: permanent(
    409,
    'Several connections match',
    'The user has more than one connection that fits.',
    'Name one of the listed ids in `Gateway-Connection`, or an integration in `Gateway-Integration`. At most 20 are listed; `connectionCount` says how many fit.',
  ),
  variable_invalid: permanent(
    422,
    'Invalid variable',
    'A variable of the provider, such as a subdomain, is missing or has the wrong form.',
    'Give every variable that the catalog lists for the provider, in the form shown there.',
  ),
  logo_invalid: permanent(
    422,
    'Unusable logo',
    'The logo is no PNG, JPEG or WebP picture, or it is too large.',
    'Send a PNG, JPEG or WebP picture of at most 64 KiB and 1,024 by 1,024 pixels, as base64. SVG is not taken.',
  ),
  grant_unknown: permanent(
    422,
    'Unknown grant',
    'The provider has no way to authenticate of this name.',
    'Name one of the `grants` that the catalog lists for the provider, or leave `grant` out for its usual one.',
  ),
  credentials_invalid: permanent(
    422,
    'Invalid provider credentials',
    'The credentials do not have the form that this provider needs, or the provider refused them.',
    'Check the credentials in the account at the provider and enter them again.',
  ),
  sign_in_refused: {
    ...permanent(
      401,
      'Sign-in refused',
      'The e-mail address and the password do not fit together.',
      'Check both. A forgotten password is replaced by mail, or by `npm run operator -- reset-password <email>` on the server.',
    ),
    // Callers know one word for credentials that are wrong, whosever they are.
    code: 'credentials_invalid',
  },
  signing_key_invalid: permanent(
    422,
    'Invalid signing key',
    'The key cannot be used to verify user tokens.',
    'Give a public RSA key of at least 2048 bits or an EC key whose curve fits the algorithm, as PEM or JWK.',
  ),
  revocation_limit: permanent(
    409,
    'Too many revocations',
    'The project has as many revocations in force as it may have.',
    'Revoke by `userId` or `everyone` instead of token by token, or delete revocations that are no longer needed.',
  ),
  signing_key_limit: permanent(
    409,
    'Too many signing keys',
    'The project has as many live signing keys as it may have.',
    'Delete a signing key that is no longer used.',
  ),

  destination_not_found: permanent(
    404,
    'Event destination not found',
    'There is no such event destination, or it belongs to another project.',
    'Check the id; `GET /v1/event-destinations` lists what there is.',
  ),
  destination_url_invalid: permanent(
    422,
    'Invalid destination URL',
    'Events cannot be sent to this URL.',
    'Give an https URL of a public host, without user name, password and fragment; ALLOW_PRIVATE_NETWORKS lets others in for development.',
  ),
  destination_limit: permanent(
    409,
    'Too many event destinations',
    'The project has as many event destinations as it may have.',
    'Delete a destination that is no longer used, or let one destination take more types.',
  ),
  destination_test_busy: retryable(
    409,
    'Test under way',
    'A test of this destination, or too many tests of others of its project, are under way.',
    'Wait for the answer of the test before.',
  ),
  replay_limit: retryable(
    409,
    'Too many replays',
    'The destination or its project has as many replays under way as it may have.',
    'Wait until one of them has ended.',
  ),
  event_not_found: permanent(
    404,
    'Event not found',
    'There is no such event, it is older than what is kept, or it belongs to another project.',
    'Check the id; `GET /v1/events` reads what there is.',
  ),
  delivery_not_found: permanent(
    404,
    'Delivery not found',
    'There is no such delivery, it is older than what is kept, or it belongs to another project.',
    'Check the id; `GET /v1/deliveries` lists what there is.',
  ),

  // Authorization of a provider
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

  // Webhooks
  signature_invalid: permanent(
    401,
    'Signature invalid',
    'The webhook is not signed by the provider with a secret of this integration, or it is too old.',
    'Compare the webhook secret of the integration (for some providers the client secret) with the one at the provider, and the clock of the sender.',
  ),
  webhook_malformed: permanent(
    400,
    'Webhook malformed',
    'The body is not what the provider sends.',
    'Send the body as the provider documents it.',
  ),
  webhook_address_not_found: permanent(
    404,
    'Webhook address not found',
    'No integration or connection receives webhooks at this address.',
    'Register the address that `webhookUrl` of the integration shows, or the one of a subscription where the provider registers one for each account.',
  ),
  webhook_receipt_not_found: permanent(
    404,
    'Webhook receipt not found',
    'No webhook with this id is kept.',
    'List the receipts of the integration; they are kept for some days.',
  ),
  webhook_not_replayable: permanent(
    409,
    'Webhook cannot be replayed',
    'The webhook was rejected: nothing shows that the provider sent it.',
    'Correct the reason of the rejection and let the provider send the webhook again.',
  ),
  subscription_not_found: permanent(
    404,
    'Subscription not found',
    'The integration has no such subscription.',
    'List the subscriptions of the integration and check the id.',
  ),

  // Upstream
  upstream_unreachable: retryable(
    502,
    'Provider unreachable',
    'No connection to the provider could be made.',
    'Try again later; if it persists, check the status page of the provider.',
  ),
  upstream_paused: retryable(
    503,
    'Provider paused',
    'No connection to the provider could be made several times in a row; for a moment none is tried.',
    'Wait for the seconds in `Retry-After`: the gateway tries again by itself. If it persists, check the address of the connection and the status page of the provider.',
  ),
  upstream_invalid_response: retryable(
    502,
    'Invalid answer from the provider',
    'The provider sent something that is not a valid HTTP response.',
    'Try again later; if it persists, report it to the provider.',
  ),
  integration_misconfigured: permanent(
    502,
    'Integration misconfigured',
    'The provider refused the client credentials of the integration.',
    'An operator must compare client id, client secret, redirect URL, scopes and variables of the integration with the app at the provider.',
  ),
  client_certificate_refused: permanent(
    502,
    'Client certificate refused',
    'The provider refused the client certificate in the TLS handshake, or wants one and got none.',
    'Give the integration, or the connection by connecting again, a certificate that the provider has issued or registered, with its whole chain, and that has not expired.',
  ),
  upstream_timeout: retryable(
    504,
    'Provider timed out',
    'The provider did not answer in time. It may have processed the request.',
    'Repeat the request if it is safe to repeat; `Gateway-Timeout` asks for more time.',
  ),
  loop_detected: permanent(
    508,
    'Loop detected',
    'The call has been through this gateway before: the API address of a provider leads back to it.',
    'Correct the API address of the provider: it must not be an address of the gateway.',
  ),

  // The gateway itself
  http_version_not_supported: permanent(
    505,
    'HTTP version not supported',
    'The request is neither HTTP/1.1 nor HTTP/1.0.',
    'Send HTTP/1.1.',
  ),
  internal_error: retryable(
    500,
    'Internal error',
    'The gateway failed to handle this request.',
    'Try again; if it persists, give the operator the `requestId`.',
  ),
  vault_error: permanent(
    500,
    'Stored credentials unreadable',
    'Sealed credentials could not be opened.',
    'An operator must check ENCRYPTION_KEYS and the log for this `requestId`.',
  ),
  overloaded: retryable(
    503,
    'Overloaded',
    'The gateway has too much work at the moment.',
    'Wait for the seconds in `Retry-After` and try again.',
  ),
  shutting_down: retryable(
    503,
    'Shutting down',
    'This gateway process is about to stop.',
    'Try again; another process will answer.',
  ),
  not_ready: retryable(
    503,
    'Not ready',
    'This gateway process does not serve requests yet, or no longer.',
    'Wait; if it persists, `/readyz` names the check that fails.',
  ),
  store_unavailable: retryable(
    503,
    'Store unavailable',
    'The database of the gateway cannot be reached.',
    'Try again in a few seconds.',
  ),
  key_set_unavailable: retryable(
    503,
    'Key set unavailable',
    'The key set of the identity provider that issues these tokens cannot be fetched.',
    'Try again in some seconds; if it persists, see whether the JWKS address of the signing key answers.',
  ),
  refresh_unavailable: retryable(
    503,
    'Token refresh unavailable',
    'The access token has expired, and the provider does not give a new one at the moment.',
    'Wait for the seconds in `Retry-After` and try again; the connection itself is intact.',
  ),
} as const satisfies Record<string, ErrorEntry>;

/** A stable, snake_case code of the gateway's error table. */
export type ErrorCode = keyof typeof ERRORS;

/** The code as callers read it. */
export function publicCode(code: ErrorCode): string {
  const entry: ErrorEntry = ERRORS[code];
  return entry.code ?? code;
}

/** True for a code of the table. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}

/** All codes, in the order of the table. */
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];
