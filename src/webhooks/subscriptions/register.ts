import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import { findExpiry } from './expiry.ts';
import { type CallProvider, readText } from './provider-registration.ts';
import { chooseIds, usesValue } from './registration-calls.ts';
import { fillRegistrationIds, listWantedEvents, type RegistrationTask } from './registration-task.ts';
import type { Registered } from './subscription.ts';
import { updateSubscription } from './subscriptions.store.ts';

/** What registering, renewing and removing share. */
export type RegistrationContext = {
  readonly db: Db;
  readonly vault: Vault;
  readonly callProvider: CallProvider;
  announce(projectId: string): void;
  now(): number;
};

/** What the provider's responses said of the registrations. */
type Registering = {
  readonly registrations: Registered[];
  readonly expiresAt: Date | null;
  readonly secret: string | undefined;
};

/** Registers the address for every event that is not registered yet, and confirms what the provider wants confirmed. */
export async function register(context: RegistrationContext, task: RegistrationTask): Promise<void> {
  const { db, vault } = context;
  const { subscription } = task;
  const { registrations, expiresAt, secret: registeredSecret } = await registerEvents(context, task);
  const secret = (await fetchSecret(context, task, registrations)) ?? registeredSecret;
  // Before anything is confirmed: the provider may call the address at once, signed with it.
  await updateSubscription(db, vault, subscription, {
    registrations,
    expiresAt,
    ...(secret !== undefined && { secret }),
  });
  context.announce(subscription.projectId);
  const isConfirmed = await confirm(context, task, registrations);
  await updateSubscription(db, vault, subscription, {
    state: isConfirmed ? 'active' : 'pending',
    ...(isConfirmed && { registeredAt: new Date(context.now()) }),
    lastError: null,
  });
}

async function registerEvents(context: RegistrationContext, task: RegistrationTask): Promise<Registering> {
  const { registration, subscription } = task;
  const registrations: Registered[] = [...subscription.registrations];
  let secret: string | undefined;
  let expiresAt = findExpiry(registration, undefined, context.now());
  for (const event of registration.perEvent ? listWantedEvents(task) : [null]) {
    if (registrations.some((known) => known.event === event)) continue;
    const chosen = chooseIds();
    const values = { ...chosen, ...(event !== null && { event }) };
    const response = await context.callProvider(task, registration.request, values);
    const paths = registration.answer;
    const reported = { id: readText(response, paths.id), resourceId: readText(response, paths.resourceId) };
    registrations.push({ ...reported, event, ...chosen });
    expiresAt = findExpiry(registration, readText(response, paths.expiresAt), context.now());
    secret = readText(response, paths.secret) ?? secret;
    // What is registered is written down at once: a crash must not register it twice.
    await updateSubscription(context.db, context.vault, subscription, { registrations });
  }
  return { registrations, expiresAt, secret };
}

/** The secret of a provider that shows it in a call of its own. */
async function fetchSecret(
  context: RegistrationContext,
  task: RegistrationTask,
  [first]: readonly Registered[],
): Promise<string | undefined> {
  const { secretRequest } = task.registration;
  if (secretRequest === undefined) return undefined;
  const response = await context.callProvider(task, secretRequest, fillRegistrationIds(first));
  return readText(response, secretRequest.secret) ?? undefined;
}

/** The call that the provider wants after registering. False where a handshake is waited for that brings its secret. */
async function confirm(
  context: RegistrationContext,
  task: RegistrationTask,
  registrations: Registered[],
): Promise<boolean> {
  const { confirm: call } = task.registration;
  if (call === undefined) return true;
  const isSecretNeeded = usesValue(call, 'handshakeSecret');
  for (const [index, registered] of registrations.entries()) {
    const handshakeSecret = task.handshakes[registered.id ?? ''] ?? task.values.webhookSecret;
    if (registered.isConfirmed || (isSecretNeeded && handshakeSecret === undefined)) continue;
    const values = { ...fillRegistrationIds(registered), handshakeSecret };
    await context.callProvider(task, call, values);
    registrations[index] = { ...registered, isConfirmed: true };
    await updateSubscription(context.db, context.vault, task.subscription, { registrations });
  }
  return registrations.every(({ isConfirmed }) => isConfirmed);
}
