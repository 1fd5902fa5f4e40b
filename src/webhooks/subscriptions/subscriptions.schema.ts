import { z } from 'zod';
import { listQuery } from '../../lib/cursor.ts';
import { SUBSCRIPTION_STATES, type Subscription } from './subscription.ts';

const EVENTS_MAX = 200;
const PARAMETERS_MAX = 20;

const subscriptionFields = {
  id: z.uuid(),
  projectId: z.uuid(),
  integrationId: z.uuid(),
  connectionId: z.uuid().nullable().meta({ description: 'Null: of the whole integration.' }),
  state: z.enum(SUBSCRIPTION_STATES).meta({
    description:
      '`manual`: you register the address at the provider by hand. `pending`: the gateway is about to. `failing`: the provider refused, see `lastError`; the gateway tries again. `removing`: the gateway removes it at the provider.',
  }),
  wantedEvents: z
    .array(z.string())
    .meta({ description: 'Names of the provider’s; empty: all that the catalog names.' }),
  expiresAt: z.iso.datetime().nullable().meta({ description: 'The gateway renews it before.' }),
  registeredAt: z.iso.datetime().nullable(),
  lastError: z.string().nullable(),
  lastErrorAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
};

const subscriptionSchema = z.object(subscriptionFields).meta({ id: 'WebhookSubscription' });

export const newSubscriptionSchema = z
  .object({
    ...subscriptionFields,
    webhookUrl: z.string().meta({
      description:
        'The address with its unguessable part. It is shown here only: repeat the request to see it again.',
    }),
    secret: z.string().nullable().meta({
      description:
        'A secret of the gateway’s making that you enter at the provider; null where there is none to enter.',
    }),
    steps: z
      .array(z.string())
      .meta({ description: 'What to do at the provider where the state is `manual`.' }),
  })
  .meta({ id: 'NewWebhookSubscription' });

export const subscriptionList = z
  .object({ subscriptions: z.array(subscriptionSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'WebhookSubscriptionList' });

export const subscriptionsQuery = z.strictObject({ ...listQuery });

export const subscribeBody = z.strictObject({
  connectionId: z
    .uuid()
    .optional()
    .meta({ description: 'Needed where the provider registers webhooks for each account.' }),
  events: z.array(z.string().min(1).max(100)).max(EVENTS_MAX).default([]),
  parameters: z
    .record(z.string().max(60), z.string().max(500))
    .refine((values) => Object.keys(values).length <= PARAMETERS_MAX, `at most ${PARAMETERS_MAX} parameters`)
    .default({})
    .meta({ description: 'Values that the provider’s registration asks for, such as the id of a board.' }),
  secret: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'What the provider signs webhooks to this address with, where it shows you that.' }),
});

export const subscriptionParams = z.strictObject({ id: z.uuid(), subscriptionId: z.uuid() });

export function toSubscriptionWire(subscription: Subscription): z.input<typeof subscriptionSchema> {
  return {
    id: subscription.id,
    projectId: subscription.projectId,
    integrationId: subscription.integrationId,
    connectionId: subscription.connectionId,
    state: subscription.state,
    wantedEvents: subscription.wantedEvents,
    expiresAt: subscription.expiresAt?.toISOString() ?? null,
    registeredAt: subscription.registeredAt?.toISOString() ?? null,
    lastError: subscription.lastError,
    lastErrorAt: subscription.lastErrorAt?.toISOString() ?? null,
    createdAt: subscription.createdAt.toISOString(),
  };
}
