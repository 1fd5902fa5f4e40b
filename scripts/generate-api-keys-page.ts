import type { Endpoint } from '../src/http/endpoint.ts';
import { KEY_SCOPES, listNeededScopes } from '../src/http/key-scopes.ts';

const INTRODUCTION = `# API keys

Made by \`npm run generate\` from the declarations of the operations and \`scripts/generate-api-keys-page.ts\`.

An API key (\`igk_…\`) is your backend's. It manages one project, never calls the proxy, and does not belong into a browser or an
agent. Give each program a key of its own that may do what the program does, and no more.

\`\`\`sh
curl -s $GATEWAY/v1/projects/$PROJECT/api-keys -H "Authorization: Bearer $OPERATOR_TOKEN" -H 'Content-Type: application/json' -d '{
  "name": "Backend of the shop",
  "scopes": ["users:tokens", "connect", "connections:read"],
  "allowedAddresses": ["192.0.2.0/24", "2001:db8::/48"],
  "expiresAt": "2027-11-22T00:00:00Z"
}'
\`\`\`

This one mints user tokens, has users connect accounts and sees what is connected, from two networks. \`OPERATOR_TOKEN\` is a personal access
token of an owner or admin: no key creates, changes, rotates or lists keys. In the dashboard the form under *Settings, API keys* offers sets:

| set | scopes |
|---|---|
| Everything | \`*\` |
| Backend | \`integrations:read\`, \`connections:write\`, \`users:tokens\`, \`connect\`, \`events:read\` |
| Read only | \`integrations:read\`, \`connections:read\`, \`events:read\`, \`projects:read\`, \`activity:read\` |
| Events only | \`events:read\` |

## Scopes

Without \`scopes\` a key has \`*\`, which is everything, what later releases add included; so have keys of earlier releases.
\`integrations:write\`, \`connections:write\`, \`projects:write\` and \`configuration:write\` include the \`read\` of the same noun, and
\`events:manage\` includes \`events:read\`: a key that decides where events go could send all of them to itself. What is missing is
answered \`403 scope_missing\`, whose \`detail\` and \`WWW-Authenticate\` name it, before anything is looked up. \`PATCH …/api-keys/{id}\`
changes scopes and addresses; the next request counts, on every replica. Rotating keeps both, and
the new key lives as long as the old one was made for unless \`expiresAt\` says otherwise (\`null\`: without an end).

| scope | lets a key |
|---|---|
`;

const ADDRESSES = `
**What scopes do not divide.** A key with \`users:tokens\` or \`connect\` acts for any user of the project. A user token that it mints may
do what its user may: list and delete the user's connections, and call their providers, unless it has a [mandate](mandates.md).
\`integrations:write\` and \`configuration:write\` decide what client secrets are sent where, by providers of your own, and \`polls\` what any
connection is asked for, by resources of your own. Who names the OpenID provider at which persons sign in for agents speaks for every user as
well: that takes \`users:tokens\` beside \`projects:write\`, or \`configuration:write\`. Give these to backends alone.

Links to authorize (\`completion: "link"\`) and to the page of a user's connections (\`POST /v1/portal-sessions\`) end with the key that made them
when it is deleted, and so do those of an operator who may not change the project any more. A key that ends after its rotation leaves its links as
they are.

## Addresses

\`allowedAddresses\` of a key, and of a personal access token, are 1 to 32 ranges of IPv4 or IPv6, or single addresses. They are kept
in one notation: \`10.1.2.3/8\` is \`10.0.0.0/8\`, and \`::ffff:10.1.2.3\` is \`10.1.2.3/32\`. The caller's address is the one that
\`TRUST_PROXY\` says; with a wrong setting it is that of your proxy. \`0.0.0.0/0\` is IPv4 alone, \`::/0\` IPv6 alone. From elsewhere a
key that is good is told \`403 address_not_allowed\`, with the address that the gateway saw. The audit log has it
(\`api_key.address_refused\`): once an hour for each network, ten times an hour for a key at most. A personal access token gets other
addresses with its operator's password alone, so that a stolen one cannot free itself.

## Which operation takes which scope

Operations that are not listed are no API key's: keys themselves, signing keys, members and invitations, deleting a project.

| operation | | scope |
|---|---|---|
`;

/** docs/api-keys.md: what keys may do, and what each operation asks of them. */
export function apiKeysPage(endpoints: readonly Endpoint[]): string {
  const scopes = Object.entries(KEY_SCOPES).map(([name, sentence]) => `| \`${name}\` | ${sentence} |`);
  const rows = endpoints
    .filter(({ principals }) => principals.includes('api_key'))
    .toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
    .map(
      (declared) =>
        `| \`${declared.method.toUpperCase()} ${declared.path}\` | ${declared.summary} | ${scopesOf(declared)} |`,
    );
  return `${INTRODUCTION}${scopes.join('\n')}\n${ADDRESSES}${rows.join('\n')}\n`;
}

function keyOf({ path, method }: Endpoint): string {
  return `${path} ${method}`;
}

function scopesOf({ keyScope }: Endpoint): string {
  const names = listNeededScopes(keyScope).map((name) => `\`${name}\``);
  return names.length === 0 ? 'any key' : names.join(' and ');
}
