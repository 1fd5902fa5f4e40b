import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { code, escapeMarkdown, join, section, table } from './markdown.ts';

const SCOPE_WORDS = {
  application: 'One address for all accounts.',
  connection: 'One address for each connection.',
  both: 'One address for all accounts, or one for each connection.',
} as const;

const EVENTS_SHOWN_MAX = 40;

/** How changes at the provider are learnt of: webhooks and polls. */
export function describeChanges(provider: Provider): string {
  return join(
    section('## Webhooks', describeWebhooks(provider)),
    section('## Polls', describePolls(provider)),
  );
}

function describeWebhooks({ webhooks, name }: Provider): string {
  const {
    supported,
    docsUrl,
    notes = [],
    scope,
    registration = [],
    secret,
    retryHours,
    acknowledge,
    events,
  } = webhooks;
  if (!supported) return `None of ${escapeMarkdown(name)} are known.`;
  const isReceived = webhooks.payload !== undefined && webhooks.signature !== undefined;
  const lines = [
    isReceived
      ? 'The gateway receives them, checks their signature, and makes events of them.'
      : 'The provider sends webhooks, but how they are signed is not described, so the gateway does not receive them.',
    ...(scope === undefined ? [] : [SCOPE_WORDS[scope]]),
    ...registration.map(({ by }) =>
      by === 'portal'
        ? 'Registered by hand at the provider.'
        : 'Registered by the gateway, through the provider’s API.',
    ),
    ...(secret?.title === undefined ? [] : [`The secret is called “${escapeMarkdown(secret.title)}”.`]),
    ...(acknowledge?.withinSeconds === undefined
      ? []
      : [`The provider waits ${acknowledge.withinSeconds} s for the answer.`]),
    ...(retryHours === undefined ? [] : [`It tries again for ${retryHours} hours.`]),
  ];
  const steps = registration.flatMap((one) => (one.by === 'portal' ? one.steps : []));
  const types = Object.entries(events?.names ?? {}).slice(0, EVENTS_SHOWN_MAX);
  return join(
    lines.join(' '),
    steps
      .map(
        (step, index) =>
          `${index + 1}. ${escapeMarkdown(step).replaceAll('\\{webhookUrl\\}', 'the integration’s `webhookUrl`')}`,
      )
      .join('\n'),
    table(
      ['at the provider', 'as an event of the gateway'],
      types.map(([type, { object, change }]) => [code(type), code(`${object}.${change}`)]),
    ),
    notes.map((note) => `- ${escapeMarkdown(note)}`).join('\n'),
    docsUrl !== undefined && `The provider’s page: <${docsUrl}>`,
  );
}

const WAYS = { timestamp: 'by time of change', token: 'by a token', log: 'from a log of changes' } as const;

function describePolls({ polls }: Provider): string {
  const rows = Object.entries(polls).map(([name, { title, object, changes, deleted, list, scopes }]) => [
    code(name),
    escapeMarkdown(title ?? ''),
    code(`${object}.*`),
    changes === undefined ? 'by reading all' : WAYS[changes.by],
    deleted !== undefined ? 'listed' : list !== undefined ? 'by a scan' : '',
    scopes.map(code).join(' '),
  ]);
  const notes = Object.values(polls).flatMap((poll) => poll.notes);
  if (rows.length === 0) return '';
  return join(
    'Kinds of records whose changes [a poll](/docs/receiving-events) asks for:',
    table(['resource', '', 'events', 'changes', 'deletions', 'scopes'], rows),
    [...new Set(notes)].map((note) => `- ${escapeMarkdown(note)}`).join('\n'),
  );
}
