/** The groups of operations in the API reference, in its order. */
export const API_TAGS = [
  { name: 'Set-up', description: 'The first operator, once.' },
  { name: 'Signing in', description: 'Operators in the dashboard: sessions, passwords, second factors.' },
  { name: 'Catalog', description: 'The providers.' },
  { name: 'Integrations', description: 'A provider as a project uses it: client id, client secret, scopes.' },
  { name: 'Connect', description: 'Letting an end user authorize.' },
  { name: 'Connections', description: 'One end user’s grant to an integration.' },
  { name: 'Diagnosis', description: 'What is wrong, and what to do about it.' },
  { name: 'Webhooks', description: 'What providers send, and where it is registered.' },
  { name: 'Events', description: 'What changed at the providers and at the gateway, as one stream.' },
  { name: 'Polls', description: 'Asking providers for changes, for every connection of an integration.' },
  { name: 'Calls', description: 'Proxied calls: numbers, recent calls, live tail.' },
  { name: 'Mandates', description: 'What a user token may do.' },
  { name: 'Approvals', description: 'Calls of agents that a person approves before they are sent.' },
  { name: 'Agents', description: 'What persons have allowed the clients of their assistants.' },
  { name: 'Configuration', description: 'A project as a file: exported, compared, applied.' },
  { name: 'Projects', description: 'Projects, members, keys, users.' },
] as const;

export type ApiTag = (typeof API_TAGS)[number]['name'];
