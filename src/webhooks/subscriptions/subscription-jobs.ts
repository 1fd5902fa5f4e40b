import { ClientTokenError } from '../../credentials/client/client-tokens.ts';
import type { RunAgain } from '../../platform/job-worker.ts';
import { OutboundError } from '../../platform/outbound.ts';
import { isRenewalDue, scheduleRenewal } from './expiry.ts';
import {
  createCallProvider,
  type ProviderRegistrationDeps,
  RegistrationError,
} from './provider-registration.ts';
import { type RegistrationContext, register } from './register.ts';
import type { ApiRegistration } from './registration-calls.ts';
import {
  prepareRegistrationTask,
  type RegistrationTask,
  type RegistrationTaskDeps,
} from './registration-task.ts';
import { removeRegistrations } from './remove.ts';
import { renew, replace } from './renew.ts';
import type { Subscription } from './subscription.ts';
import {
  findSubscription,
  listSubscriptionsByOwner,
  removeSubscription,
  updateSubscription,
} from './subscriptions.store.ts';

/** The name of the jobs; their keys are ids of subscriptions. */
export const SUBSCRIPTION_JOBS = 'webhook-subscriptions';

const MINUTE_MS = 60_000;
/** So soon after a hold has ended the jobs that waited go on. */
const HELD_RETRY_MS = 5_000;
/** What the provider refused is tried again after this: an operator may have corrected it. */
const REFUSED_RETRY_MS = 6 * 60 * MINUTE_MS;

type Deps = ProviderRegistrationDeps &
  RegistrationTaskDeps &
  Pick<RegistrationContext, 'announce'> & {
    /** Nothing of the project reaches a provider for now. */
    isHeld(projectId: string): boolean;
  };

/** Registers, renews and removes webhook addresses at providers, as the catalog says. */
export function createSubscriptionJobs(deps: Deps) {
  const { db } = deps;
  const context = { ...deps, callProvider: createCallProvider(deps) };

  return {
    async work(id: string, signal: AbortSignal): Promise<RunAgain | undefined> {
      const waiting = await waitWhileHeld(deps, id);
      if (waiting !== undefined) return waiting;
      const task = await prepareRegistrationTask(deps, id, signal);
      const subscription = task?.subscription ?? (await findSubscription(db, id));
      if (subscription === undefined || subscription.state === 'manual') return undefined;
      if (task === undefined) {
        // The way to register is gone with its integration, or the provider's file has changed.
        if (subscription.state === 'removing') await removeSubscription(db, subscription);
        return undefined;
      }
      try {
        await advance(context, task);
      } catch (error) {
        if (signal.aborted) throw error;
        return recordFailure(context, subscription, error);
      }
      const after = await findSubscription(db, id);
      return after && scheduleRenewal(after, task.registration);
    },

    /**
     * Removes registrations at their provider while their credentials are there; gives up after `limitMs`. `noteRemoved` gets
     * each that has none there any more.
     */
    async removeNow(
      owner: { integrationId: string } | { connectionId: string },
      limitMs: number,
      noteRemoved: (subscription: Subscription) => void,
    ): Promise<void> {
      const signal = AbortSignal.timeout(limitMs);
      for (const { id, state } of await listSubscriptionsByOwner(db, owner)) {
        if (state === 'manual' || signal.aborted) continue;
        const task = await prepareRegistrationTask(deps, id, signal);
        if (task === undefined) continue;
        const { registrations } = task.subscription;
        const isRemoved = await removeRegistrations(context.callProvider, task, registrations).catch(
          () => false,
        );
        if (isRemoved) noteRemoved(task.subscription);
      }
    },
  };
}

/** When to look again, where the project is held. */
async function waitWhileHeld({ db, isHeld, now }: Deps, id: string): Promise<RunAgain | undefined> {
  const found = await findSubscription(db, id);
  if (found === undefined || !isHeld(found.projectId)) return undefined;
  return { runAgainAt: new Date(now() + HELD_RETRY_MS), projectId: found.projectId };
}

/** Brings the provider in line with the row. */
async function advance(context: RegistrationContext, task: RegistrationTask): Promise<void> {
  const { subscription, registration } = task;
  const { state, registrations } = subscription;
  if (state === 'removing') return finishRemoval(context, task);
  const isDue = isRenewalDue(subscription, registration, context.now());
  if (state !== 'active' && isFullyRegistered(subscription, registration)) {
    // What failed was a renewal, or taking over other wishes: neither is done by what stands at the provider.
    return state === 'failing' && isDue ? renew(context, task) : replace(context, task);
  }
  if (state !== 'active' || registrations.length === 0) return register(context, task);
  if (isDue) return renew(context, task);
}

async function finishRemoval(context: RegistrationContext, task: RegistrationTask): Promise<void> {
  const { subscription } = task;
  await removeRegistrations(context.callProvider, task, subscription.registrations);
  await removeSubscription(context.db, subscription);
  context.announce(subscription.projectId);
}

/** Whether the one registration of all events stands, so that other wishes need another one. */
function isFullyRegistered({ registrations }: Subscription, { perEvent, confirm }: ApiRegistration): boolean {
  if (registrations.length === 0 || perEvent) return false;
  return confirm === undefined || registrations.every(({ isConfirmed }) => isConfirmed);
}

/** Keeps the reason for operators, and says when the job is to run again. */
async function recordFailure(
  { db, vault, now }: RegistrationContext,
  subscription: Subscription,
  error: unknown,
): Promise<RunAgain> {
  const state = subscription.state === 'removing' ? 'removing' : 'failing';
  await updateSubscription(db, vault, subscription, { state, lastError: describeFailure(error) });
  const isFinal =
    (error instanceof RegistrationError && error.isFinal) ||
    (error instanceof ClientTokenError && !error.isTransient);
  const pauseMs = isFinal ? REFUSED_RETRY_MS : MINUTE_MS;
  return { runAgainAt: new Date(now() + pauseMs), projectId: subscription.projectId };
}

/** Never an address or a value. */
function describeFailure(error: unknown): string {
  if (error instanceof RegistrationError || error instanceof ClientTokenError) return error.message;
  if (error instanceof OutboundError) return `The provider could not be reached (${error.kind}).`;
  const code =
    typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'internal_error';
  return `The registration failed (${code}).`;
}
