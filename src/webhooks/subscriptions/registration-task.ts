import { templateValues } from '../../catalog/facts/template-values.ts';
import type { OAuthClient } from '../../oauth/token-message.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import type { WebhookDescription } from '../message/webhook.ts';
import { lifeMs } from './expiry.ts';
import {
  type ApiRegistration,
  fillSecretValues,
  findApiRegistration,
  type Values,
} from './registration-calls.ts';
import type { Registered, Subscription } from './subscription.ts';
import { openSubscription } from './subscriptions.store.ts';

/** What an integration contributes to registrations. */
export type SubscriptionOwner = {
  readonly description: WebhookDescription;
  readonly variables: Readonly<Record<string, string>>;
  readonly client: Pick<OAuthClient, 'clientId' | 'clientSecrets'>;
};

/** Everything that a registration's calls are made of. */
export type RegistrationTask = {
  readonly subscription: Subscription;
  readonly registration: ApiRegistration;
  readonly owner: SubscriptionOwner;
  readonly values: Values;
  readonly signal: AbortSignal;
};

export type RegistrationTaskDeps = {
  readonly db: Db;
  readonly vault: Vault;
  /** The origin of addresses that are registered from now on. */
  readonly webhookUrl: string;
  findOwner(integrationId: string, projectId: string): Promise<SubscriptionOwner | undefined>;
  findConnection(
    connectionId: string,
    projectId: string,
  ): Promise<{ accountId: string | null; variables: Readonly<Record<string, string>> } | undefined>;
  now(): number;
};

/** Undefined where the subscription is gone, or the gateway has no way to register it (any more). */
export async function prepareRegistrationTask(
  deps: RegistrationTaskDeps,
  id: string,
  signal: AbortSignal,
): Promise<RegistrationTask | undefined> {
  const opened = await openSubscription(deps.db, deps.vault, id);
  if (opened === undefined) return undefined;
  const { subscription, token, secret } = opened;
  const { integrationId, projectId, connectionId } = subscription;
  const owner = await deps.findOwner(integrationId, projectId);
  const connection = connectionId === null ? undefined : await deps.findConnection(connectionId, projectId);
  const registration = owner && findApiRegistration(owner.description, connectionId !== null);
  if (owner === undefined || registration === undefined) return undefined;
  const expiresAtMs = deps.now() + lifeMs(registration.expiresSeconds ?? 0);
  const values = {
    ...templateValues({ integration: owner.variables, connection: connection?.variables }),
    ...subscription.parameters,
    ...fillSecretValues(secret),
    webhookUrl: `${deps.webhookUrl}/webhooks/${integrationId}/${token}`,
    accountId: connection?.accountId ?? undefined,
    clientId: owner.client.clientId,
    clientSecret: owner.client.clientSecrets[0],
    expiresAt: new Date(expiresAtMs).toISOString(),
    expiresAtMs: String(expiresAtMs),
  };
  return { subscription, registration, owner, signal, values };
}

/** The events that the subscription asks for, else those that the catalog names. */
export function listWantedEvents({
  subscription,
  registration,
}: Pick<RegistrationTask, 'subscription' | 'registration'>): readonly string[] {
  return subscription.wantedEvents.length > 0 ? subscription.wantedEvents : registration.events;
}

/** The values of templates that name one registration at the provider. */
export function fillRegistrationIds(registered: Registered | undefined): Values {
  const id = registered?.id ?? undefined;
  return {
    registrationId: id,
    resourceId: registered?.resourceId ?? undefined,
    event: registered?.event ?? undefined,
    // A registration of an earlier release: where the gateway chose the id, the answer repeated it.
    webhookId: registered?.webhookId ?? id,
    webhookNumber: registered?.webhookNumber ?? id,
  };
}
