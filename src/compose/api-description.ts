/** The words at the top of the API reference. `proxyUrl` is the origin of the proxy. */
export function describeApi(proxyUrl: string): string {
  return `Manage integrations and connections. Calls to a provider's own API do not go here but through the proxy:
\`ANY ${proxyUrl}/projects/{projectId}/proxy/{provider}/{path of the provider's API}\` with the end user's JWT.

Operations stay as they are within a major version. Leave members and values alone that you do not know. A deprecated
operation says so in each answer (\`Deprecation\`, \`Sunset\`) at least six months before it goes.`;
}
