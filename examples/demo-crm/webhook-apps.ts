import { CrmError } from './crm-errors.ts';

/** Changes that an app can subscribe to, by HubSpot's names. */
export const SUBSCRIPTION_TYPES = ['contact.creation', 'contact.propertyChange', 'contact.deletion'] as const;
export type SubscriptionType = (typeof SUBSCRIPTION_TYPES)[number];

export type Subscription = {
  readonly id: number;
  readonly eventType: SubscriptionType;
  /** Only changes of this property; of any, where it is absent (HubSpot wants one subscription for each property). */
  readonly propertyName?: string | undefined;
  readonly active: boolean;
  readonly createdAt: Date;
};

export type NewSubscription = Pick<Subscription, 'eventType' | 'propertyName'> & {
  readonly active?: boolean | undefined;
};

/** An app as the sender of webhooks knows it. */
export type WebhookApp = {
  readonly clientId: string;
  /** The number that deliveries name the app by. */
  readonly appId: number;
  /** Where changes are sent; undefined while none are. */
  targetUrl: string | undefined;
  /** Turned off on the CRM's page: what happens meanwhile is never sent. */
  isPaused: boolean;
  subscriptions: readonly Subscription[];
};

export type WebhookApps = ReturnType<typeof createWebhookApps>;

const TARGET_URL_LENGTH_MAX = 1000;
const SUBSCRIPTIONS_MAX = 50;

/** Target URL and subscriptions of every app, in memory. They outlive a client that is registered again. */
export function createWebhookApps({ now }: { now: () => Date }) {
  const apps = new Map<string, WebhookApp>();
  let lastSubscriptionId = 1000;

  function of(clientId: string): WebhookApp {
    const known = apps.get(clientId);
    if (known) return known;
    const app: WebhookApp = {
      clientId,
      appId: apps.size + 1,
      targetUrl: undefined,
      isPaused: false,
      subscriptions: [],
    };
    apps.set(clientId, app);
    return app;
  }

  function subscribe(clientId: string, { eventType, propertyName, active = true }: NewSubscription) {
    const app = of(clientId);
    const same = app.subscriptions.some(
      (one) => one.eventType === eventType && one.propertyName === propertyName,
    );
    if (same) throw new CrmError(409, 'CONFLICT', 'The app has this subscription already.');
    if (app.subscriptions.length === SUBSCRIPTIONS_MAX) {
      throw new CrmError(400, 'VALIDATION_ERROR', `An app has at most ${SUBSCRIPTIONS_MAX} subscriptions.`);
    }
    lastSubscriptionId += 1;
    const made = { id: lastSubscriptionId, eventType, propertyName, active, createdAt: now() };
    app.subscriptions = [...app.subscriptions, made];
    return made;
  }

  return {
    of,
    subscribe,
    all: (): readonly WebhookApp[] => [...apps.values()],

    /** Sends what happens from now on to `targetUrl`; undefined stops it. Throws CrmError where it is no address. */
    setTargetUrl: (clientId: string, targetUrl: string | undefined): void => {
      if (targetUrl !== undefined && !isTargetUrl(targetUrl)) {
        throw new CrmError(400, 'VALIDATION_ERROR', 'The target URL must be an http or https address.');
      }
      // As it is requested, so that both sides sign the same text.
      of(clientId).targetUrl = targetUrl === undefined ? undefined : new URL(targetUrl).href;
    },

    /** Subscribes to everything that the app is not subscribed to as a whole. */
    subscribeToAll: (clientId: string): void => {
      const { subscriptions } = of(clientId);
      for (const eventType of SUBSCRIPTION_TYPES) {
        const has = subscriptions.some(
          (one) => one.eventType === eventType && one.propertyName === undefined,
        );
        if (!has) subscribe(clientId, { eventType });
      }
    },

    unsubscribe: (clientId: string, id: number): boolean => {
      const app = of(clientId);
      const rest = app.subscriptions.filter((one) => one.id !== id);
      const found = rest.length < app.subscriptions.length;
      app.subscriptions = rest;
      return found;
    },
  };
}

function isTargetUrl(text: string): boolean {
  if (text.length > TARGET_URL_LENGTH_MAX || !URL.canParse(text)) return false;
  return /^https?:$/.test(new URL(text).protocol);
}
