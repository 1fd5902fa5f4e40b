import { type ErrorEntry, permanent, retryable } from './entry.ts';

/** What belongs to projects: consents, approvals, polls, secrets, keys, destinations, events. */
export const OBJECT_ERRORS = {
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
  configuration_moved: permanent(
    409,
    'The state moved',
    'The project has changed since the plan was made, so that the plan is not what would happen.',
    'Make a new plan by `POST /v1/projects/{projectId}/configuration/plan`, and apply with its `stateHash`.',
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
  mandate_in_use: permanent(
    409,
    'Mandate in use',
    'The project’s sign-in for agents names the mandate: it is the most that agents get (`agentSignIn.openid.mandateId`).',
    'Freeze the mandate, which stops its tokens, or name another one with `PATCH /v1/projects/{projectId}`; then it can be deleted.',
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
  destination_kafka_invalid: permanent(
    422,
    'Invalid Kafka destination',
    'Events cannot be sent to this topic.',
    'Name brokers with public addresses and use TLS; ALLOW_PRIVATE_NETWORKS lets others in for development. Give the password again with other brokers, TLS or another user.',
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
} as const satisfies Record<string, ErrorEntry>;
