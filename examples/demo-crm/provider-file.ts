/**
 * The gateway's catalog entry for a Demo CRM at `url` (no trailing slash), as YAML. To be saved as
 * `demo-crm.yaml` in the gateway's CATALOG_DIR; a local address also needs ALLOW_PRIVATE_NETWORKS=true.
 */
export function demoCrmProviderFile(url: string): string {
  return `id: demo-crm
name: Demo CRM
category: crm
auth: oauth2
authorizationUrl: ${url}/oauth/authorize
tokenUrl: ${url}/oauth/token
revocationUrl: ${url}/oauth/token/revocation
apiBaseUrl: ${url}
issuer: ${url}/oauth
scopeSeparator: ' '
pkce: true
tokenEndpointAuth: client_secret_post
optionalScopeParameter: optional_scope
defaultScopes:
  - oauth
  - crm.objects.contacts.read
  - crm.objects.contacts.write
scopeDescriptions:
  oauth: Know which account is connected
  crm.objects.contacts.read: See contacts
  crm.objects.contacts.write: Create, change and archive contacts
  crm.schemas.contacts.read: See which properties contacts have
account:
  id:
    from: token-response
    path: hub_id
  name:
    from: token-response
    path: hub_domain
setupSteps:
  - Start the demo CRM. It prints the client ID and the client secret of its one app.
  - Register the redirect URL that this page shows as a redirect URL of that app.
  - Enter client ID, client secret and scopes here. They must be the same on both sides.
`;
}
