import { type CallProvider, RegistrationError } from './provider-registration.ts';
import { fillRegistrationIds, type RegistrationTask } from './registration-task.ts';
import type { Registered } from './subscription.ts';

/** Removes registrations at the provider. False where it has no way to. */
export async function removeRegistrations(
  callProvider: CallProvider,
  task: RegistrationTask,
  registrations: readonly Registered[],
): Promise<boolean> {
  const { remove } = task.registration;
  if (remove === undefined) return false;
  for (const registered of registrations) {
    await callProvider(task, remove, fillRegistrationIds(registered)).catch((error: unknown) => {
      // The registration is gone, or no longer the gateway's to remove: nothing is left to do.
      if (!(error instanceof RegistrationError) || !error.isFinal) throw error;
    });
  }
  return true;
}
