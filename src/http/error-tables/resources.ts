import { type ErrorEntry, permanent, retryable } from './entry.ts';

/** Projects, integrations, connections, and signing in to the door for agents. */
export const RESOURCE_ERRORS = {
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
  organization_not_found: permanent(
    404,
    'Organization not found',
    'The project knows no organization by this id, neither as your own id nor as the gateway’s.',
    'Check the id against `GET /v1/projects/{projectId}/organizations`; in a path it is percent-encoded.',
  ),
  organization_ambiguous: permanent(
    409,
    'Two organizations by this id',
    'The id is the own id of one organization and the gateway’s of another.',
    'Name the organization by the other of its two ids, as `GET /v1/projects/{projectId}/organizations` lists them.',
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
} as const satisfies Record<string, ErrorEntry>;
