import { ClientTokenError } from '../../credentials/client/client-tokens.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import { findExpiry } from './expiry.ts';
import { awaitHandshake, awaitsHandshake, forgetAwaited } from './handshakes.store.ts';
import { type CallProvider, RegistrationError, readText } from './provider-registration.ts';
import { chooseIds, usesValue } from './registration-calls.ts';
import { fillRegistrationIds, listWantedEvents, type RegistrationTask } from './registration-task.ts';
import type { Registered } from './subscription.ts';
import { openSubscription, updateSubscription } from './subscriptions.store.ts';

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
    const response = await requestRegistration(context, task, values);
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

/** Asks for one registration. Some providers' handshakes bring its secret while the gateway waits for their answer. */
async function requestRegistration(
  { db, vault, callProvider }: RegistrationContext,
  task: RegistrationTask,
  values: Readonly<Record<string, string>> & { readonly webhookId: string },
): Promise<unknown> {
  const { subscription, registration, owner } = task;
  if (!awaitsHandshake(owner.description)) return callProvider(task, registration.request, values);
  await awaitHandshake(db, vault, subscription, values.webhookId);
  try {
    return await callProvider(task, registration.request, values);
  } catch (error) {
    // Without an answer the provider may have registered it, and its handshake may be on the way.
    const isRefused =
      error instanceof ClientTokenError || (error instanceof RegistrationError && error.isFinal);
    if (isRefused) await forgetAwaited(db, vault, subscription, values.webhookId);
    throw error;
  }
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
  const opened = isSecretNeeded
    ? await openSubscription(context.db, context.vault, task.subscription.id)
    : undefined;
  const handshakes = opened?.handshakes ?? {};
  for (const [index, registered] of registrations.entries()) {
    const ofRegistration = handshakes[registered.id ?? ''] ?? handshakes[registered.webhookId ?? ''];
    const handshakeSecret = ofRegistration ?? task.values.webhookSecret;
    if (registered.isConfirmed || (isSecretNeeded && handshakeSecret === undefined)) continue;
    const values = { ...fillRegistrationIds(registered), handshakeSecret };
    await context.callProvider(task, call, values);
    registrations[index] = { ...registered, isConfirmed: true };
    await updateSubscription(context.db, context.vault, task.subscription, { registrations });
  }
  return registrations.every(({ isConfirmed }) => isConfirmed);
}
