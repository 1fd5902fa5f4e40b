export const SUBSCRIPTION_STATES = ['manual', 'pending', 'active', 'failing', 'removing'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** A registration as the provider's answer names it. */
export type Registered = {
  readonly id: string | null;
  readonly resourceId: string | null;
  readonly event: string | null;
  /** Chosen by the gateway; absent in registrations of an earlier release. */
  readonly webhookId?: string;
  readonly webhookNumber?: string;
  /** The provider has had the call that it wants after registering. */
  readonly isConfirmed?: boolean;
};

/**
 * Secrets that handshakes brought, by the provider's id of the registration, or by the gateway's (`webhookId`) where
 * handshakes name none.
 */
export type HandshakeSecrets = Readonly<Record<string, string>>;

/** The registration whose handshake may bring a secret, by the gateway's id of it. */
export type AwaitedHandshake = { readonly webhookId: string; readonly until: Date };

/** The registration of one address at a provider: of the whole integration, or of one connection. */
export type Subscription = Readonly<{
  id: string;
  projectId: string;
  integrationId: string;
  connectionId: string | null;
  /** Has an address of its own, with an unguessable part. */
  hasAddress: boolean;
  wantedEvents: string[];
  /** Values for the provider's requests, from the request that subscribed. */
  parameters: Readonly<Record<string, string>>;
  state: SubscriptionState;
  /** At the provider; there may be one for each event. */
  registrations: readonly Registered[];
  expiresAt: Date | null;
  registeredAt: Date | null;
  lastError: string | null;
  lastErrorAt: Date | null;
  createdAt: Date;
}>;
