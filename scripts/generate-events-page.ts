import type { Provider } from '../src/catalog/schema/provider.schema.ts';
import type { PollResource } from '../src/catalog/schema/provider-polls.schema.ts';
import { AUDIT_EXAMPLE } from '../src/events/gateway-events/audit-payload.ts';
import { EXAMPLE_HEAD, GATEWAY_EVENTS } from '../src/events/gateway-events/event-payloads.ts';
import { envelopeText } from '../src/events/stream/event.ts';
import { describeWebhooks } from '../src/webhooks/message/description.ts';
import { namedEventTypes, sampleEvents } from './sample-events.ts';

const HEAD = `# Types of events

Made by \`npm run generate\` from \`src/events/gateway-events/event-payloads.ts\` and the files in
[src/catalog/providers](../src/catalog/providers); change those, not this. [Receiving events](receiving-events.md) tells how events
get to your application.

A type is one of the gateway's own, or \`<provider>.<object>.<change>\`, where the change is \`created\`, \`updated\`, \`deleted\` or
\`other\`. Where a list of types is wanted, \`hubspot.contact.*\` and \`hubspot.*\` name all that begin so, and \`*\` all but those
of the audit log.

Every event has the same members:

| member | |
|---|---|
| \`id\` | a UUID of version 7; the same in every attempt, and in the feed |
| \`type\` | see below |
| \`createdAt\` | when the event entered the stream; when something happened at the provider stands in \`data\` |
| \`projectId\` | |
| \`integrationId\` | null for an event of no integration |
| \`connectionId\` | whose account it happened in; null for an event of no connection |
| \`integrationUserId\`, \`userId\` | the end user of the connection, by the gateway's id and by yours |
| \`source\` | \`webhook\`, \`poll\` or \`gateway\` |
| \`object\` | \`{ type, id, change }\`: what changed at the provider. Absent where its id is not told |
| \`data\` | of a provider's event: its own payload, unchanged. Numbers are as the provider wrote them, some too large for JavaScript |
`;

const AUDIT = `### The audit log: \`activity.<action>\`

Each entry of the project's activity, as the event that its action names: \`activity.api_key.created\`. These types come only where they
are asked for: \`activity.*\`, \`activity.member.*\`, or one by its name. They enter the stream from when a destination of the
project names one, so that nothing grows where nothing wants them. Entries about the erasure of a user, and of what goes with them, have
no event. An API key needs the scope \`activity:read\` to read them, or to have them sent. \`data\` is the entry as
\`GET /v1/activity\` gives it, without the names that it looks up.

${jsonBlock(AUDIT_EXAMPLE)}
`;

const PROVIDERS_HEAD = `## Providers

The providers whose webhooks the gateway receives. *Own names* are those that the provider uses. A provider may send more than is
listed: the gateway makes types of its names by the rule in the provider's file, and calls a change \`other\` where the rule
knows no better. The examples are what the gateway itself made of
deliveries from the providers' documentation, shortened, or else of one with only those members that it reads; a real one has more
in \`data\`.
`;

/** The text of docs/events.md. */
export function eventsPage(providers: readonly Provider[]): string {
  const sections = providers.map((provider) => ({ provider, parts: partsOf(provider) }));
  const listed = sections.filter(({ parts }) => parts.length > 0);
  const others = sections.filter(
    ({ provider, parts }) => parts.length === 0 && describeWebhooks(provider) !== undefined,
  );
  return `${HEAD}
## The gateway's own

${Object.entries(GATEWAY_EVENTS)
  .map(([type, { when, example }]) => `### \`${type}\`\n\n${when}\n\n${jsonBlock(example)}`)
  .join('\n\n')}

${AUDIT}
${PROVIDERS_HEAD}
${listed.map(({ provider, parts }) => [headingOf(provider), ...parts].join('\n\n')).join('\n\n')}

### Others

Received as well; their types are made of the provider's names alone: ${others.map(({ provider }) => linkTo(provider)).join(', ') || 'none'}.
`;
}

function partsOf(provider: Provider): string[] {
  return [typeTable(provider), pollTable(provider), examples(provider)].filter((part) => part !== '');
}

function headingOf(provider: Provider): string {
  return `### ${provider.name}\n\n${linkTo(provider)}`;
}

function linkTo({ id, webhooks, docsUrl }: Provider): string {
  const url = webhooks.docsUrl ?? docsUrl;
  return url === undefined ? `\`${id}.*\`` : `[\`${id}.*\`](${url})`;
}

function typeTable(provider: Provider): string {
  const rows = namedEventTypes(provider).map(
    ({ type, names }) => `| \`${type}\` | ${names.map((name) => `\`${name}\``).join(', ')} |`,
  );
  return rows.length === 0 ? '' : `| type | own names |\n|---|---|\n${rows.join('\n')}`;
}

function pollTable({ id, polls }: Provider): string {
  const rows = Object.entries(polls).map(
    ([name, resource]) => `| \`${name}\` | ${polledTypes(id, resource)} |`,
  );
  return rows.length === 0 ? '' : `| poll | types |\n|---|---|\n${rows.join('\n')}`;
}

function polledTypes(id: string, { object, changes }: PollResource): string {
  const names = changes?.by === 'log' ? Object.values(changes.objects?.names ?? {}) : [];
  const [first = object, ...others] = new Set([...names, object]);
  const types = `\`${id}.${first}.created\`, \`….updated\`, \`….deleted\``;
  if (changes?.by !== 'log') return types;
  return `${types}, \`….other\`; the same of ${others.map((other) => `\`${other}\``).join(', ')}`;
}

function examples(provider: Provider): string {
  const events = sampleEvents(provider).map(({ type, object, dataText }) => {
    const event = { ...EXAMPLE_HEAD, type, source: 'webhook' as const, ...(object && { object }) };
    return JSON.parse(envelopeText(event, dataText));
  });
  return events.map(jsonBlock).join('\n\n');
}

function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
