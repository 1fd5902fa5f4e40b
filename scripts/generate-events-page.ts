import type { Provider } from '../src/catalog/provider.schema.ts';
import { envelopeText } from '../src/events/event.ts';
import { EXAMPLE_HEAD, GATEWAY_EVENTS } from '../src/events/event-payloads.ts';
import { describeWebhooks } from '../src/webhooks/description.ts';
import { namedEventTypes, sampleEvent } from './sample-events.ts';

const HEAD = `# Types of events

Made by \`npm run generate\` from \`src/events/event-payloads.ts\` and the files in
[src/catalog/providers](../src/catalog/providers); change those, not this. [Receiving events](receiving-events.md) tells how events
get to your application.

A type is one of the gateway's own, or \`<provider>.<object>.<change>\`, where the change is \`created\`, \`updated\`, \`deleted\` or
\`other\`. Where a list of types is wanted, \`hubspot.contact.*\` and \`hubspot.*\` name all that begin so, and \`*\` all.

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

const PROVIDERS_HEAD = `## Providers

What the gateway receives webhooks of. *Own names* are those that the provider uses. A provider may send more than is listed:
types are made of its names by the rule that its file has, and what the rule does not understand is \`other\`. The examples were
made by the gateway itself of a delivery that has no more than what the provider's file reads; a real one has far more in \`data\`.
`;

/** The text of docs/events.md. */
export function eventsPage(providers: readonly Provider[]): string {
  const described = providers.filter((provider) => describeWebhooks(provider) !== undefined);
  return `${HEAD}
## The gateway's own

${Object.entries(GATEWAY_EVENTS)
  .map(([type, { when, example }]) => `### \`${type}\`\n\n${when}\n\n${jsonBlock(example)}`)
  .join('\n')}
${PROVIDERS_HEAD}
${described.map(sectionOf).join('\n')}`;
}

function sectionOf(provider: Provider): string {
  const { webhooks, id, name } = provider;
  const docs = webhooks.docsUrl === undefined ? '' : `, [documentation](${webhooks.docsUrl})`;
  const parts = [`### ${name}\n\n\`${id}.*\`${docs}`, typeTable(provider), example(provider)];
  return `${parts.filter((part) => part !== '').join('\n\n')}`.trimEnd().concat('\n');
}

function typeTable(provider: Provider): string {
  const rows = namedEventTypes(provider).map(
    ({ type, names }) => `| \`${type}\` | ${names.map((name) => `\`${name.replaceAll('|', '\\|')}\``).join(', ')} |`,
  );
  return rows.length === 0 ? '' : `| type | own names |\n|---|---|\n${rows.join('\n')}`;
}

function example(provider: Provider): string {
  const item = sampleEvent(provider);
  if (item === undefined) return '';
  const { type, object, dataText } = item;
  const event = { ...EXAMPLE_HEAD, type, source: 'webhook' as const, ...(object && { object }) };
  return jsonBlock(JSON.parse(envelopeText(event, dataText)));
}

function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;
}
