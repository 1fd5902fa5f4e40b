import type { WebhookMessage } from '../../http/openapi-webhooks.ts';
import { AUDIT_EXAMPLE, auditEvent } from '../gateway-events/audit-payload.ts';
import { EXAMPLE_HEAD, GATEWAY_EVENTS } from '../gateway-events/event-payloads.ts';
import { eventSchema } from '../reading/events.schema.ts';

/** As Standard Webhooks 1.0.0 has them. */
const HEADERS: WebhookMessage['headers'] = {
  'webhook-id': {
    description:
      'The id of the event, the same in every attempt: keep it to notice an event that comes again.',
    example: EXAMPLE_HEAD.id,
  },
  'webhook-timestamp': {
    description:
      'When this attempt was made, in seconds since 1970. Refuse one that is more than 5 minutes off.',
    example: String(Math.ceil(EXAMPLE_HEAD.createdAt.getTime() / 1000)),
  },
  'webhook-signature': {
    description:
      '`v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64, keyed with what follows `whsec_` in the secret, decoded. Two with a space between while the secret is rotated.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
};

const ANSWERS: WebhookMessage['answers'] = {
  '2XX': 'You have stored the event.',
  '410': 'You want no more events: the destination is disabled.',
  default:
    'Sent again later, redirects too. With `webhook-delivery: abort-message` this event is not sent again.',
};

const MESSAGE = { tag: 'Events', headers: HEADERS, answers: ANSWERS } as const;

/** What event destinations receive, for the `webhooks` of the OpenAPI document. */
export function describeDeliveries(): WebhookMessage[] {
  const own = Object.entries(GATEWAY_EVENTS).map(([type, { when, schema, example }]) => ({
    ...MESSAGE,
    name: type,
    operationId: `receive${pascalCase(type)}`,
    summary: type,
    description: when,
    schema,
    example,
  }));
  return [...own, ofAuditLog(), ofProvider()];
}

function ofAuditLog(): WebhookMessage {
  return {
    ...MESSAGE,
    name: 'activity.<action>',
    operationId: 'receiveActivityEvent',
    summary: 'An entry of the audit log',
    description:
      'Comes to destinations that ask for such types by name, such as `activity.*`. `data` is the entry as `GET /v1/activity` gives it, without the names that it looks up.',
    schema: auditEvent,
    example: AUDIT_EXAMPLE,
  };
}

function ofProvider(): WebhookMessage {
  const { createdAt, ...head } = EXAMPLE_HEAD;
  const data = { subscriptionType: 'contact.creation', objectId: 123, portalId: 62515 };
  return {
    ...MESSAGE,
    name: '<provider>.<object>.<change>',
    operationId: 'receiveProviderEvent',
    summary: 'An event of a provider',
    description:
      'Something changed at a provider: it sent a webhook, or a poll found it. `docs/events.md` lists the types of every provider.',
    schema: eventSchema,
    example: {
      ...head,
      owner: { type: 'user', id: head.userId },
      type: 'hubspot.contact.created',
      createdAt: createdAt.toISOString(),
      source: 'webhook',
      object: { type: 'contact', id: '123', change: 'created' },
      data,
    },
  };
}

function pascalCase(type: string): string {
  return type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
