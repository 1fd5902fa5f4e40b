import type { ContactChange } from './contact-change.ts';
import type { Subscription, WebhookApp } from './webhook-apps.ts';

/** One element of a batch, as HubSpot's webhooks v3 have it (https://developers.hubspot.com/docs/api-reference/latest/webhooks/guide). */
export type WebhookEvent = {
  readonly eventId: number;
  readonly subscriptionId: number;
  readonly portalId: number;
  readonly appId: number;
  /** In milliseconds. */
  readonly occurredAt: number;
  readonly subscriptionType: string;
  readonly objectId: number;
  readonly propertyName?: string;
  readonly propertyValue?: string;
  readonly changeFlag?: 'CREATED' | 'DELETED';
  readonly changeSource: 'CRM';
};

/** What an app gets of a change: an event for each subscription and each changed property. */
export function buildWebhookEvents(
  change: ContactChange,
  { app, portalId, nextEventId }: { app: WebhookApp; portalId: number; nextEventId: () => number },
): WebhookEvent[] {
  const subscriptionType = `contact.${change.kind}`;
  const wanted = app.subscriptions.filter(
    ({ active, eventType }) => active && eventType === subscriptionType,
  );
  const common = { portalId, appId: app.appId, occurredAt: change.at.getTime(), subscriptionType };
  return wanted.flatMap((subscription) =>
    detailsOf(change, subscription).map(
      (details): WebhookEvent => ({
        eventId: nextEventId(),
        subscriptionId: subscription.id,
        ...common,
        objectId: change.contact.id,
        ...details,
        changeSource: 'CRM',
      }),
    ),
  );
}

function detailsOf(
  { kind, changed }: ContactChange,
  { propertyName: wanted }: Subscription,
): Pick<WebhookEvent, 'propertyName' | 'propertyValue' | 'changeFlag'>[] {
  if (kind === 'creation') return [{ changeFlag: 'CREATED' }];
  if (kind === 'deletion') return [{ changeFlag: 'DELETED' }];
  return Object.entries(changed)
    .filter(([name]) => wanted === undefined || wanted === name)
    .map(([propertyName, propertyValue]) => ({ propertyName, propertyValue }));
}
