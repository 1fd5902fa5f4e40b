import { findExpiry } from './expiry.ts';
import { awaitsHandshake, dropHandshakes } from './handshakes.store.ts';
import { readText } from './provider-registration.ts';
import { type RegistrationContext, register } from './register.ts';
import { fillRegistrationIds, type RegistrationTask } from './registration-task.ts';
import { removeRegistrations } from './remove.ts';
import { updateSubscription } from './subscriptions.store.ts';

/** Prolongs the registrations in the provider's way: by a call for each, or by new ones in their place. */
export async function renew(context: RegistrationContext, task: RegistrationTask): Promise<void> {
  const { registration, subscription } = task;
  if (registration.renew === undefined || registration.renew === 'again') return replace(context, task);
  let expiresAt = findExpiry(registration, undefined, context.now());
  for (const registered of subscription.registrations) {
    const response = await context.callProvider(task, registration.renew, fillRegistrationIds(registered));
    expiresAt = findExpiry(registration, readText(response, registration.answer.expiresAt), context.now());
  }
  const change = { state: 'active', expiresAt, lastError: null } as const;
  await updateSubscription(context.db, context.vault, subscription, change);
}

/** A new registration first, so that no event is missed. */
export async function replace(context: RegistrationContext, task: RegistrationTask): Promise<void> {
  const { subscription } = task;
  await register(context, { ...task, subscription: { ...subscription, registrations: [] } });
  const isGone = await removeRegistrations(context.callProvider, task, subscription.registrations).catch(
    () => false,
  );
  if (isGone && awaitsHandshake(task.owner.description)) {
    await dropHandshakes(context.db, context.vault, subscription, subscription.registrations);
    context.announce(subscription.projectId);
  }
}
