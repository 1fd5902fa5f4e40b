/** `ok`: looked at and in order. `error`: users are affected, or no user can connect. */
export const SEVERITIES = ['ok', 'info', 'warning', 'error'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** A sentence, or one for each plural category of English (Unicode CLDR), which the parameter `count` chooses. */
export type Wording = string | { readonly one: string; readonly other: string };

export type FindingText = {
  readonly severity: Severity;
  readonly title: string;
  readonly detail: Wording;
  /** For callers of the API: names members of requests, between backticks. */
  readonly remedy: string;
  /** The same for an operator in front of the dashboard, where it differs: names fields and buttons as the pages do. */
  readonly pageRemedy?: string;
};

/**
 * Every finding of the diagnosis, in English. Codes are API: they are added, never renamed. `{name}` stands for one of
 * the finding's parameters; a translation puts the same parameters into its own sentences.
 */
export const FINDING_TEXTS = {
  provider_missing: {
    severity: 'error',
    title: 'Provider not in the catalog',
    detail: 'The catalog has no provider {provider} any more.',
    remedy: 'Restore its file in CATALOG_DIR or the project’s own provider, or delete the integration.',
  },
  provider_ended: {
    severity: 'error',
    title: 'Provider has ended',
    detail: '{provider}, or the part of it that this entry is for, no longer exists.',
    remedy: 'See the notes of the provider for what takes its place, and move users there.',
  },
  provider_partner_only: {
    severity: 'info',
    title: 'For partners only',
    detail: '{provider} lets only applications of its partners in.',
    remedy: 'Ask {provider} to accept the application, if it has not done so yet.',
  },
  provider_sign_in_only: {
    severity: 'info',
    title: 'For sign-in only',
    detail: 'Tokens of {provider} tell who somebody is, and open no other API.',
    remedy: 'Use it to learn who connects; for data, choose another provider.',
  },
  provider_limited: {
    severity: 'info',
    title: 'Limited provider',
    detail: '{provider} does not give everything to new applications.',
    remedy: 'Read the notes of the provider before users depend on it.',
  },

  // The integration's client, as the provider judges it
  client_accepted: {
    severity: 'ok',
    title: 'Client accepted',
    detail: '{provider} accepts client id and client secret.',
    remedy: 'Nothing to do.',
  },
  client_not_needed: {
    severity: 'ok',
    title: 'No client to check',
    detail: '{provider} takes each user’s own credentials; the integration has no client there.',
    remedy: 'Nothing to do.',
  },
  client_unprovable: {
    severity: 'info',
    title: 'Client not provable',
    detail: '{provider} does not tell whether client id and client secret are right ({reason}).',
    remedy: 'Connect a test account: that is the proof that remains.',
  },
  client_not_checked: {
    severity: 'info',
    title: 'Client not checked yet',
    detail: 'The gateway has not asked {provider} lately whether it accepts the client.',
    remedy: 'Run the diagnosis again with `refresh=true`, as an owner or admin of the project.',
    pageRemedy: 'Press “Check again”. Owners and admins of the project may.',
  },
  client_secret_missing: {
    severity: 'error',
    title: 'Client secret missing',
    detail: 'The integration has no client secret that can be read, and {provider} asks for one.',
    remedy: 'Set `clientSecret` of the integration to the secret of the app at {provider}.',
    pageRemedy: 'Enter the client secret of the app at {provider} by “New client secret”.',
  },
  client_secret_refused: {
    severity: 'error',
    title: 'Wrong client secret',
    detail: '{provider} refuses the client secret.',
    remedy:
      'Copy the client secret of the app at {provider} again, or make a new one there, and set it as `clientSecret` of the integration. Check that it is the secret’s value and not its id.',
    pageRemedy:
      'Copy the client secret of the app at {provider} again, or make a new one there, and enter it by “New client secret”. Check that it is the secret’s value and not its id.',
  },
  organization_client_refused: {
    severity: 'error',
    title: 'Client of an organization refused',
    detail: '{provider} refuses the client id or the client secret of: {organizations}.',
    remedy:
      'Ask the organization for client id and client secret of its own app at {provider}, and set them at the organization’s client (`updateOrganizationClient`). The client of the integration is not meant.',
    pageRemedy:
      'Ask the organization for client id and client secret of its own app at {provider}, and enter them by “Replace” beside it. The client of the integration is not meant.',
  },
  client_key_refused: {
    severity: 'error',
    title: 'Wrong key',
    detail: '{provider} refuses what was signed with the key of the integration: {variable}.',
    remedy:
      'Make a key for the same app at {provider} and set it as that variable of the integration. A key of another app, or one that was deleted there, is refused though client id and client secret are right.',
  },
  client_secret_older_used: {
    severity: 'warning',
    title: 'Only the older client secret works',
    detail:
      '{provider} refuses the newer client secret and accepts the one before, which the gateway stops using soon.',
    remedy:
      'Copy the newer secret of the app at {provider} again and set it as `clientSecret` of the integration.',
    pageRemedy: 'Copy the newer secret of the app at {provider} again and enter it by “New client secret”.',
  },
  client_secret_expired: {
    severity: 'error',
    title: 'Client secret expired',
    detail: 'The client secret at {provider} has expired.',
    remedy:
      'Make a new secret for the app at {provider}, set it as `clientSecret` of the integration, and note its end as `secretExpiresAt`.',
    pageRemedy:
      'Make a new secret for the app at {provider}, enter it by “New client secret”, and note there when it ends.',
  },
  client_secret_expires_soon: {
    severity: 'warning',
    title: 'Client secret expires soon',
    detail: 'The client secret expires at {expiresAt}.',
    remedy:
      'Make a new secret for the app at {provider} and set it as `clientSecret` before then; both are tried for seven days.',
    pageRemedy:
      'Make a new secret for the app at {provider} and enter it by “New client secret” before then; both are tried for seven days.',
  },
  client_id_unknown: {
    severity: 'error',
    title: 'Wrong client id',
    detail: '{provider} knows no app with this client id.',
    remedy:
      'Compare `clientId` of the integration with the app at {provider}: another app, another environment, or a blank at its end.',
    pageRemedy:
      'Compare the client id with the app at {provider}, and correct it by “Edit”: it may be of another app or another environment.',
  },
  client_refused: {
    severity: 'error',
    title: 'Client refused',
    detail: '{provider} refuses the client and does not tell whether the id or the secret is wrong.',
    remedy: 'Copy client id and client secret of the app at {provider} again and set both.',
    pageRemedy: 'Copy client id and client secret of the app at {provider} again, and enter both.',
  },
  client_swapped: {
    severity: 'error',
    title: 'Client id and secret swapped',
    detail: '{provider} knows the app by what stands in the place of the client secret.',
    remedy: 'Set `clientId` of the integration to what is now its `clientSecret`, and the other way round.',
    pageRemedy: 'Enter both again by “Edit” and “New client secret”, each in the place of the other.',
  },
  region_wrong: {
    severity: 'error',
    title: 'Wrong region',
    detail: 'The client is not registered in the region “{region}” of {provider}; it is in “{otherRegion}”.',
    remedy: 'Set the variable `{variable}` of the integration to “{otherRegion}”.',
    pageRemedy: 'Set {variable} to “{otherRegion}” by “Edit”.',
  },
  tenant_wrong: {
    severity: 'error',
    title: 'Wrong tenant',
    detail: '{provider} knows no such tenant, or the app does not belong to it.',
    remedy:
      'Compare the variables of the integration (tenant, subdomain, organisation) with the address that people sign in at, and check in which tenant the app is registered.',
    pageRemedy:
      'Compare the tenant, subdomain or organisation with the address that people sign in at, and correct it by “Edit”. Check in which tenant the app is registered.',
  },
  redirect_url_refused: {
    severity: 'error',
    title: 'Redirect URL not registered',
    detail: '{provider} refuses the redirect URL {redirectUrl}.',
    remedy:
      'Register exactly {redirectUrl} as a redirect URL of the app at {provider}: scheme, host, port and path, without a slash at the end.',
  },
  scopes_refused: {
    severity: 'error',
    title: 'Scopes refused',
    detail:
      '{provider} refuses the scopes that the integration asks for: unknown, or more than the app may have.',
    remedy:
      'Remove from `scopes` what the app at {provider} has not been given, or add it to the app there. Asked for: {scopes}.',
    pageRemedy:
      'Take away what the app at {provider} has not been given, by “Edit”, or add it to the app there. Asked for: {scopes}.',
  },
  scope_not_granted: {
    severity: 'warning',
    title: 'A scope is not granted',
    detail: '{provider} did not grant {scopes}.',
    remedy:
      'Add the scopes to the app at {provider}, let users leave every permission ticked, or move what is not needed to `optionalScopes`. Existing connections have to be authorized again.',
    pageRemedy:
      'Add the scopes to the app at {provider}, let users leave every permission ticked, or make those optional that are not needed, by “Edit”. Existing connections have to be authorized again.',
  },
  scope_not_asked: {
    severity: 'info',
    title: 'More scopes granted than asked for',
    detail: '{provider} grants {scopes}, which the integration does not ask for.',
    remedy:
      'Remove from the app at {provider} what is not needed, or list it in `scopes` of the integration.',
    pageRemedy: 'Remove from the app at {provider} what is not needed, or ask for it as well, by “Edit”.',
  },
  app_unverified: {
    severity: 'error',
    title: 'App not approved',
    detail:
      '{provider} knows the app and does not let it connect accounts: not verified, not published, or suspended.',
    remedy:
      'Submit the app for verification at {provider}, publish it, or add the users to its list of testers; check that the authorization code grant is switched on.',
  },
  app_needs_admin: {
    severity: 'warning',
    title: 'An administrator has to approve the app',
    detail: 'Organisations at {provider} let only their administrators approve the app, or block it.',
    remedy:
      'Send the administrators of those organisations the link to approve the app, or ask for fewer scopes.',
  },
  authorization_refused: {
    severity: 'error',
    title: 'Authorization request refused',
    detail: '{provider} could not make sense of the authorization request.',
    remedy:
      'Compare `settings.authorizationParams`, scopes and variables of the integration with the documentation of {provider}.',
    pageRemedy:
      'Compare the extra parameters, scopes and settings of the integration with the documentation of {provider}.',
  },
  authorization_page_refused: {
    severity: 'warning',
    title: 'Authorization page refuses the app',
    detail:
      '{provider} answers the authorization request with status {status} in the place of its log-in page: {words}',
    remedy:
      'Look at the app at {provider}: whether it is still there, has not expired, and is switched on. Users see the same page when they connect.',
  },
  token_endpoint_page: {
    severity: 'error',
    title: 'Token endpoint answers with a page',
    detail:
      '{origin} of {provider} answers token requests with a web page, as a log-in wall or a wrong address does.',
    remedy:
      'Compare the `tokenUrl` of the provider, and the variables in it, with its documentation. Where the address is right, something in between asks for a log-in: let the gateway pass there.',
    pageRemedy:
      'Compare the token address of the provider, and the settings in it, with its documentation. Where the address is right, something in between asks for a log-in: let the gateway pass there.',
  },

  // Reaching the provider
  provider_down: {
    severity: 'error',
    title: 'Provider down',
    detail: '{origin} of {provider} cannot be reached, or answers with a fault of its own.',
    remedy:
      'Look whether {provider} reports a disruption. If it does not, check the network and the firewall of the gateway.',
  },
  provider_name_unresolved: {
    severity: 'error',
    title: 'Provider’s name not found',
    detail: 'The name in {origin} of {provider} has no address.',
    remedy: 'Check the name servers of the gateway, and the variables that are part of the host name.',
  },
  provider_tls_broken: {
    severity: 'error',
    title: 'TLS of the provider broken',
    detail: 'No secure connection to {origin} of {provider}: its certificate or its TLS is not accepted.',
    remedy:
      'Wait for {provider} to mend its certificate. Where a proxy inspects TLS, give the gateway its certificate with NODE_EXTRA_CA_CERTS; check the clock of the gateway.',
  },
  client_certificate_refused: {
    severity: 'error',
    title: 'Client certificate refused',
    detail:
      '{origin} of {provider} ends the TLS handshake: it does not take the client certificate, or wants one and gets none.',
    remedy:
      'Compare the certificate with the one that {provider} issued or registered: give its whole chain, and one that has not expired. A certificate of the operator is set in the variables of the integration, a user’s by connecting again.',
  },
  client_certificate_unusable: {
    severity: 'error',
    title: 'No usable client certificate',
    detail:
      '{provider} is called with a client certificate, and the integration has none with its private key.',
    remedy:
      'Set certificate and private key in the variables of the integration, both in PEM, with the passphrase of an encrypted key.',
  },
  client_certificate_expired: {
    severity: 'error',
    title: 'Client certificate expired',
    detail: 'The client certificate for {provider} expired at {expiresAt}.',
    remedy:
      'Have {provider} issue or register a new certificate, and set it with its private key in the variables of the integration.',
  },
  client_certificate_expires_soon: {
    severity: 'warning',
    title: 'Client certificate expires soon',
    detail: 'The client certificate for {provider} expires at {expiresAt}.',
    remedy:
      'Have {provider} issue or register a new certificate, and set it with its private key in the variables of the integration before then.',
  },
  provider_timeout: {
    severity: 'error',
    title: 'Provider does not answer',
    detail: '{origin} of {provider} takes the connection and gives no answer in time.',
    remedy: 'Look whether {provider} reports a disruption; check proxies and firewalls in between.',
  },
  provider_slow: {
    severity: 'warning',
    title: 'Provider slow',
    detail: '{origin} of {provider} took {seconds} s to answer.',
    remedy:
      'Look whether {provider} reports a disruption. Calls whose token has to be refreshed wait as long.',
  },
  provider_address_refused: {
    severity: 'error',
    title: 'Provider’s address not allowed',
    detail: '{origin} of {provider} is not a public https address.',
    remedy:
      'Correct the address of the provider or the variables in it. In development, ALLOW_PRIVATE_NETWORKS lets it pass.',
  },
  clock_off: {
    severity: 'error',
    title: 'Clock off',
    detail: 'The clock of the gateway differs from that of {provider} by {seconds} s.',
    remedy:
      'Let NTP set the clock of the gateway’s machine. Until then tokens are refused or refreshed too early.',
  },

  // Browsers
  public_url_differs: {
    severity: 'warning',
    title: 'Browsers use another address',
    detail: 'Browsers open the gateway at {hosts}, and PUBLIC_URL is {publicUrl}.',
    remedy:
      'If one of these is the address that people use: set PUBLIC_URL to it, and TRUST_PROXY where a reverse proxy passes the host on; then register the new redirect URLs at the providers. Strangers can send any host: an address that is not yours needs nothing.',
  },
  origin_not_allowed: {
    severity: 'warning',
    title: 'Origin not allowed',
    detail: 'Pages of {origins} ask the gateway and are refused: the project does not allow them.',
    remedy:
      'Add the origin to `allowedOrigins` of the project, exactly as written here, if the pages are yours.',
    pageRemedy:
      'Add the origin to the allowed origins of the project, exactly as written here, if the pages are yours.',
  },
  return_url_not_registered: {
    severity: 'warning',
    title: 'Return URL not registered',
    detail: 'The application wants users back at {urls}, which the project does not list.',
    remedy:
      'Add exactly this URL to `returnUrls` of the project, or have the application send one that is listed.',
    pageRemedy:
      'Add exactly this URL to the return URLs of the project, or have the application send one that is listed.',
  },
  tokens_refused: {
    severity: 'warning',
    title: 'User tokens refused',
    detail: {
      one: 'One user token for this project was refused lately. The evidence says why, and what to do about it.',
      other:
        'At least {count} user tokens for this project were refused lately. The evidence says why, and what to do about each.',
    },
    remedy:
      'Paste such a token under Settings, Signing keys, “Check a token”: it is checked line by line, and does not leave your browser.',
  },

  // Signing in at the provider
  sign_ins_denied: {
    severity: 'info',
    title: 'Users say no',
    detail: {
      one: 'One sign-in of the last days ended because access was not granted.',
      other: '{count} sign-ins of the last days ended because access was not granted.',
    },
    remedy: 'Explain to users what the permissions are for, and ask for no more than is needed.',
  },
  sign_ins_not_returning: {
    severity: 'warning',
    title: 'Users do not come back',
    detail: {
      one: 'One user was sent to {provider} in the last days and did not come back.',
      other: '{count} users were sent to {provider} in the last days, and none came back.',
    },
    remedy:
      'Try it with a test account. {provider} mostly shows an error page of its own then: an app that is not verified, a redirect URL that is not registered, or a wrong client id.',
  },
  sign_ins_abandoned: {
    severity: 'info',
    title: 'Users stop at the form',
    detail: {
      one: 'One sign-in of the last days was opened and ended before {provider} was asked.',
      other: '{count} sign-ins of the last days were opened and ended before {provider} was asked.',
    },
    remedy: 'Tell users in your application what the form will ask them for and where they find it.',
  },
  sign_in_interrupted: {
    severity: 'info',
    title: 'Sign-in interrupted',
    detail: 'The sign-in took too long, was opened in another browser, or was done before.',
    remedy: 'Start again from the application, and stay in one browser.',
  },
  sign_in_other_account: {
    severity: 'info',
    title: 'Another account',
    detail: 'The user signed in to another {provider} account than the one connected before.',
    remedy: 'Sign in to the same account, or disconnect that one first.',
  },
  provider_setup_missing: {
    severity: 'error',
    title: 'Something is left to do at the provider',
    detail:
      '{provider} knows the credentials of log-ins, but has not been told to let them act so. The evidence says what is left to do, and where.',
    remedy: 'Do at {provider} what the evidence says, then connect again.',
  },
  credentials_refused: {
    severity: 'info',
    title: 'User’s credentials refused',
    detail: '{provider} refuses the credentials that the user entered.',
    remedy: 'Ask the user to copy them again.',
  },
  sign_ins_failing: {
    severity: 'warning',
    title: 'Sign-ins fail',
    detail: '{provider} ends sign-ins with an error.',
    remedy:
      'Look at the provider’s words below and at the activity of the request; try it with a test account.',
  },

  // Connections
  connection_works: {
    severity: 'ok',
    title: 'Connection works',
    detail: '{provider} accepts the credential of the connection.',
    remedy: 'Nothing to do.',
  },
  connection_unprovable: {
    severity: 'info',
    title: 'Connection not provable',
    detail: 'No harmless call of {provider} has shown whether it takes the credential ({reason}).',
    remedy: 'Make a call through the proxy that changes nothing.',
  },
  external_id_not_demanded: {
    severity: 'warning',
    title: 'External ID not demanded',
    detail:
      'The account at {provider} lets the gateway in without the external ID, so another user who knows its name could connect it as well.',
    remedy:
      'Let the user add the condition StringEquals sts:ExternalId with their external ID to the trust policy, and test again.',
  },
  credential_not_accepted: {
    severity: 'error',
    title: 'Credential not accepted',
    detail: {
      one: '{provider} refuses the credentials of one connection, and they cannot be renewed.',
      other: '{provider} refuses the credentials of {count} connections, and they cannot be renewed.',
    },
    remedy: 'Let the users connect the same connections again.',
  },
  calls_refused: {
    severity: 'warning',
    title: 'Calls refused',
    detail: {
      one: '{provider} refuses calls of one connection whose credentials cannot be renewed, and it is not proven that they are at an end.',
      other:
        '{provider} refuses calls of {count} connections whose credentials cannot be renewed, and it is not proven that they are at an end.',
    },
    remedy:
      'Test such a connection, or make a call that its account is certainly allowed to make. Where that is refused as well, let the user connect the same connection again.',
  },
  refresh_refused: {
    severity: 'error',
    title: 'Refresh refused',
    detail: {
      one: '{provider} refuses the refresh token of one connection and does not say that its user revoked it.',
      other:
        '{provider} refuses the refresh tokens of {count} connections and does not say that users revoked them.',
    },
    remedy:
      'Let the users authorize again. If it concerns many: check at {provider} how long refresh tokens live, whether the app was changed, and whether another system uses the same tokens.',
  },
  grant_revoked: {
    severity: 'warning',
    title: 'Revoked by the user',
    detail: {
      one: '{provider} says that access was taken back for one connection.',
      other: '{provider} says that access was taken back for {count} connections.',
    },
    remedy: 'Let the user authorize the same connection again, if that was not intended.',
  },
  refresh_failing: {
    severity: 'warning',
    title: 'Refreshes fail',
    detail: {
      one: 'The access token of one connection cannot be refreshed at the moment; the gateway tries again.',
      other:
        'The access tokens of {count} connections cannot be refreshed at the moment; the gateway tries again.',
    },
    remedy:
      'Look whether {provider} reports a disruption; nothing is lost while the refresh tokens are good.',
  },
  refresh_slow: {
    severity: 'warning',
    title: 'Refresh slow',
    detail: {
      one: '{provider} did not answer the refresh of one connection in time.',
      other: '{provider} did not answer the refresh of {count} connections in time.',
    },
    remedy:
      'Look whether {provider} reports a disruption. TOKEN_REQUEST_TIMEOUT_MS gives token requests more time; a one-use refresh token may be spent when its answer is lost.',
  },
  calls_not_found: {
    severity: 'warning',
    title: 'Calls find nothing',
    detail: {
      one: '{origin} of {provider} answered the last call with 404.',
      other: '{origin} of {provider} answered each of the last {count} calls with 404.',
    },
    remedy:
      'Compare the path of a call with the documentation of {provider}: the gateway puts it behind {apiBaseUrl}, so that it must not repeat what stands there. Check the variables in that address, too.',
  },

  // Webhooks
  webhook_secret_wrong: {
    severity: 'warning',
    title: 'Wrong webhook secret',
    detail: {
      one: 'One webhook of {provider} bore a signature that does not fit the webhook secret.',
      other: '{count} webhooks of {provider} bore a signature that does not fit the webhook secret.',
    },
    remedy:
      'Copy the signing secret of the webhooks at {provider} and set it as `webhookSecret` of the integration.',
    pageRemedy:
      'Copy the signing secret of the webhooks at {provider} and set it, by the API, as the webhook secret of the integration.',
  },
  webhook_client_secret_wrong: {
    severity: 'warning',
    title: 'Webhooks signed with another client secret',
    detail: {
      one: 'One webhook of {provider} bore a signature that does not fit the client secret, with which {provider} signs.',
      other:
        '{count} webhooks of {provider} bore a signature that does not fit the client secret, with which {provider} signs.',
    },
    remedy:
      'Copy the client secret of the app at {provider} and set it as `clientSecret` of the integration: {provider} has no other secret for webhooks. Where a newer one was made there, both are tried for seven days.',
    pageRemedy:
      'Copy the client secret of the app at {provider} and enter it by “New client secret”: {provider} has no other secret for webhooks. Where a newer one was made there, both are tried for seven days.',
  },
  webhook_of_other_integration: {
    severity: 'error',
    title: 'Webhooks of another integration',
    detail: {
      one: 'One webhook of {provider} was signed for another integration of the project: {otherClient}. The addresses are swapped.',
      other:
        '{count} webhooks of {provider} were signed for another integration of the project: {otherClient}. The addresses are swapped.',
    },
    remedy:
      'Register {webhookUrl} at the app of this integration at {provider}, and the `webhookUrl` of the other integration at the other app.',
    pageRemedy:
      'Register {webhookUrl} at the app of this integration at {provider}, and the webhook URL of the other integration at the other app.',
  },
  webhook_url_differs: {
    severity: 'error',
    title: 'Webhooks signed for another address',
    detail: {
      one: 'One webhook of {provider} was signed for the same address with {otherScheme} in the place of {scheme}.',
      other:
        '{count} webhooks of {provider} were signed for the same address with {otherScheme} in the place of {scheme}.',
    },
    remedy:
      'Register exactly {webhookUrl} at {provider}. Where that address is not the one that the internet uses, correct PUBLIC_URL or WEBHOOK_URL of the gateway, which name the scheme.',
  },
  webhook_sender_unproven: {
    severity: 'info',
    title: 'Webhooks of an unknown sender refused',
    detail: {
      one: 'Somebody sent one request to {webhookUrl} that proves nothing of {provider}: its signature is missing, malformed, old, or fits no secret.',
      other:
        'Somebody sent {count} requests to {webhookUrl} that prove nothing of {provider}: their signatures are missing, malformed, old, or fit no secret.',
    },
    remedy:
      'Nothing, unless {provider} reports webhooks that failed: anybody can send such requests, and they were refused. The rejected receipts say why each was.',
  },
  webhook_never_came: {
    severity: 'warning',
    title: 'No webhook ever came',
    detail: '{provider} has sent no webhook to {webhookUrl} yet.',
    remedy:
      'Register exactly {webhookUrl} for the events that you want at {provider}, check that it can be reached from the internet, and change something there.',
  },

  // Polls and destinations
  polls_failing: {
    severity: 'error',
    title: 'Polls fail',
    detail: {
      one: 'One poll of the integration fails: {objects}.',
      other: '{count} polls of the integration fail: {objects}.',
    },
    remedy: 'Look at `lastError` of `GET /v1/polls/…/connections`, which says why.',
    pageRemedy: 'Open the poll: it says for each connection why.',
  },
  poll_scope_missing: {
    severity: 'warning',
    title: 'A poll lacks a scope',
    detail: '{provider} wants {scopes} for what polls read, and the integration does not ask for it.',
    remedy:
      'Add {scopes} to `scopes` of the integration and to the app at {provider}. Existing connections have to be authorized again.',
    pageRemedy:
      'Add {scopes} to the scopes of the integration and to the app at {provider}. Existing connections have to be authorized again.',
  },
  destinations_failing: {
    severity: 'warning',
    title: 'Events do not arrive',
    detail: {
      one: 'One destination of the project took nothing at the last attempt: {hosts}.',
      other: '{count} destinations of the project took nothing at the last attempt: {hosts}.',
    },
    remedy:
      'Look at `lastFailure` of `GET /v1/event-destinations` and send a test event with `POST /v1/event-destinations/…/test`.',
    pageRemedy: 'Open the destination: it shows the last answer and sends a test event.',
  },
  project_frozen: {
    severity: 'error',
    title: 'Project frozen',
    detail: 'An operator has frozen the project: nothing of it is called, refreshed, polled or delivered.',
    remedy: 'Let it go on with `POST /v1/projects/{projectId}/unfreeze` once it may.',
    pageRemedy: 'Let it go on in the settings of the project once it may.',
  },
  gateway_restored: {
    severity: 'error',
    title: 'Restored and not resumed',
    detail:
      'The gateway runs on a restored backup: nothing is refreshed, polled or delivered until it is resumed.',
    remedy: 'An owner of the gateway resumes it with `POST /v1/gateway/resume`.',
    pageRemedy: 'An owner of the gateway resumes it on the page of the gateway.',
  },
  project_storage_full: {
    severity: 'error',
    title: 'The project keeps as much as it may',
    detail:
      'Polls of the project are paused, and its webhooks are answered 503 with the code project_storage_full.',
    remedy:
      'Delete polls that read more than you need, and destinations and webhooks that nothing reads. What is older than its retention makes room by itself; who runs the gateway may raise PROJECT_STORAGE_MIB_MAX and PROJECT_STORAGE_ROWS_MAX.',
  },
} as const satisfies Readonly<Record<string, FindingText>>;

/** A stable, snake_case code of the table. */
export type FindingCode = keyof typeof FINDING_TEXTS;

/** All codes, in the order of the table. */
export const FINDING_CODES = Object.keys(FINDING_TEXTS) as [FindingCode, ...FindingCode[]];
