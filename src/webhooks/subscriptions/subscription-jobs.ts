import { templateValues } from '../../catalog/facts/template-values.ts';
import type { OpenApplication, OwnApplication } from '../../credentials/calling/application-calls.ts';
import { ClientTokenError } from '../../credentials/client/client-tokens.ts';
import { valueAt } from '../../oauth/json-path.ts';
import type { OAuthClient } from '../../oauth/token-message.ts';
import type { RunAgain } from '../../platform/job-queue.ts';
import { type Outbound, OutboundError, type OutboundResponse } from '../../platform/outbound.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { WebhookDescription } from '../message/webhook.ts';
import {
  type ApiRegistration,
  apiRegistrationOf,
  chooseIds,
  fillCall,
  type RegistrationCall,
  secretValues,
  usesValue,
  type Values,
} from './registration-calls.ts';
import type {
  HandshakeSecrets,
  Registered,
  Subscription,
  SubscriptionsStore,
} from './subscriptions.store.ts';

/** The name of the jobs; their keys are ids of subscriptions. */
export const SUBSCRIPTION_JOBS = 'webhook-subscriptions';

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 256 * 1024;
/** A registration is renewed when this share of its time is left, and never later than the margin before its end. */
const RENEW_SHARE = 0.25;
const RENEW_MARGIN_MS = 10 * 60_000;
const MINUTE_MS = 60_000;
/** What the provider refused is tried again after this: an operator may have corrected it. */
const REFUSED_RETRY_MS = 6 * 60 * MINUTE_MS;

/** What the gateway calls the provider as: a connection, or the application. */
type Callable = Pick<OwnApplication, 'call' | 'follow'>;

/** What an integration contributes to registrations. */
export type SubscriptionOwner = {
  readonly description: WebhookDescription;
  readonly variables: Readonly<Record<string, string>>;
  readonly client: Pick<OAuthClient, 'clientId' | 'clientSecrets'>;
};

/** Why a registration did not work, in words for operators; never an address with a secret. */
class RegistrationError extends Error {
  override readonly name = 'RegistrationError';
  readonly isFinal: boolean;
  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

type Deps = {
  readonly db: Db;
  readonly subscriptions: SubscriptionsStore;
  readonly outbound: Outbound;
  /** The origin of addresses that are registered from now on. */
  readonly webhookUrl: string;
  findOwner(integrationId: string, projectId: string): Promise<SubscriptionOwner | undefined>;
  findConnection(
    connectionId: string,
    projectId: string,
  ): Promise<{ accountId: string | null; variables: Readonly<Record<string, string>> } | undefined>;
  openConnection(owner: { connectionId: string; projectId: string }): Promise<Callable>;
  openApplication: OpenApplication;
  announce(projectId: string): void;
  now(): number;
};

/** Everything that a registration's calls are made of. */
type Task = {
  readonly subscription: Subscription;
  readonly registration: ApiRegistration;
  readonly owner: SubscriptionOwner;
  readonly values: Values;
  readonly handshakes: HandshakeSecrets;
  readonly signal: AbortSignal;
};

export type SubscriptionJobs = ReturnType<typeof createSubscriptionJobs>;

/** Registers, renews and removes webhook addresses at providers, as the catalog says. */
export function createSubscriptionJobs(deps: Deps) {
  const { db, subscriptions, now } = deps;

  async function prepare(id: string, signal: AbortSignal): Promise<Task | undefined> {
    const opened = await subscriptions.open(db, id);
    if (opened === undefined) return undefined;
    const { subscription, token, secret, handshakes } = opened;
    const { integrationId, projectId, connectionId } = subscription;
    const owner = await deps.findOwner(integrationId, projectId);
    const connection = connectionId === null ? undefined : await deps.findConnection(connectionId, projectId);
    const registration = owner && apiRegistrationOf(owner.description, connectionId !== null);
    if (owner === undefined || registration === undefined) return undefined;
    const lifeMs = (registration.expiresSeconds ?? 0) * 1000;
    const expiresAtMs = now() + lifeMs;
    return {
      subscription,
      registration,
      owner,
      handshakes,
      signal,
      values: {
        ...templateValues({ integration: owner.variables, connection: connection?.variables }),
        ...subscription.parameters,
        ...secretValues(secret),
        webhookUrl: `${deps.webhookUrl}/webhooks/${integrationId}/${token}`,
        accountId: connection?.accountId ?? undefined,
        clientId: owner.client.clientId,
        clientSecret: owner.client.clientSecrets[0],
        expiresAt: new Date(expiresAtMs).toISOString(),
        expiresAtMs: String(expiresAtMs),
      },
    };
  }

  async function send(task: Task, call: RegistrationCall): Promise<OutboundResponse> {
    const { registration, owner, signal } = task;
    const limits = { timeoutMs: TIMEOUT_MS, responseBytesMax: ANSWER_BYTES_MAX, signal };
    const callable = await openFor(task);
    if (callable === undefined) {
      const { clientId, clientSecrets } = owner.client;
      const basic = Buffer.from(`${clientId}:${clientSecrets[0] ?? ''}`).toString('base64');
      const headers = {
        ...call.headers,
        ...(registration.authorization === 'client' && { Authorization: `Basic ${basic}` }),
      };
      const { body, ...rest } = call;
      return deps.outbound.request({ ...rest, ...limits, headers, ...(body !== undefined && { body }) });
    }
    const { method, url, headers, body } = call;
    const [path = '', ...query] = url.split('?');
    const request = { method, path, query: query.length === 0 ? '' : `?${query.join('?')}`, headers, body };
    if (url.startsWith('/')) return callable.call(request, limits);
    const answer = callable.follow(url, request, limits);
    if (answer !== undefined) return answer;
    throw new RegistrationError('The address of the registration is not the API’s.', true);
  }

  /** Undefined where the call needs no token. */
  async function openFor({ registration, subscription, owner }: Task): Promise<Callable | undefined> {
    const { connectionId, integrationId, projectId } = subscription;
    if (registration.authorization === 'application') {
      const { scopes = [] } = owner.description.clientToken ?? {};
      return deps.openApplication({ integrationId, projectId }, scopes);
    }
    if (registration.authorization !== 'connection' || connectionId === null) return undefined;
    return deps.openConnection({ connectionId, projectId });
  }

  async function perform(
    task: Task,
    template: ApiRegistration['request'],
    extra: Task['values'],
  ): Promise<unknown> {
    const values = { ...task.values, ...extra };
    const call = fillCall(template, values, eventsOf(task));
    if (call === undefined) throw new RegistrationError('A value that the request needs is missing.', true);
    const answer = await send(task, call);
    if (answer.status >= 200 && answer.status < 300) return parse(answer.body);
    const isFinal = answer.status < 500 && answer.status !== 429 && answer.status !== 408;
    throw new RegistrationError(`The provider answered ${answer.status}.`, isFinal);
  }

  async function register(task: Task): Promise<void> {
    const { registration, subscription } = task;
    const registrations: Registered[] = [...subscription.registrations];
    const events = registration.perEvent ? eventsOf(task) : [null];
    let secret: string | undefined;
    let expiresAt = expiryOf(registration, undefined, now());
    for (const event of events) {
      if (registrations.some((known) => known.event === event)) continue;
      const chosen = chooseIds();
      const answer = await perform(task, registration.request, {
        ...chosen,
        ...(event !== null && { event }),
      });
      const { id, resourceId, secret: secretPath, expiresAt: expiryPath } = registration.answer;
      const told = { id: textAt(answer, id), resourceId: textAt(answer, resourceId) };
      registrations.push({ ...told, event, ...chosen });
      expiresAt = expiryOf(registration, textAt(answer, expiryPath), now());
      secret = textAt(answer, secretPath) ?? secret;
      // What is registered is written down at once: a crash must not register it twice.
      await subscriptions.update(db, subscription, { registrations });
    }
    const [first] = registrations;
    if (registration.secretRequest) {
      const answer = await perform(task, registration.secretRequest, idsOf(first));
      secret = textAt(answer, registration.secretRequest.secret) ?? secret;
    }
    // Before anything is confirmed: the provider may call the address at once, signed with it.
    await subscriptions.update(db, subscription, {
      registrations,
      expiresAt,
      ...(secret !== undefined && { secret }),
    });
    deps.announce(subscription.projectId);
    const isConfirmed = await confirm(task, registrations);
    await subscriptions.update(db, subscription, {
      state: isConfirmed ? 'active' : 'pending',
      ...(isConfirmed && { registeredAt: new Date(now()) }),
      lastError: null,
    });
  }

  /** The call that the provider wants after registering. False where a handshake is waited for that brings its secret. */
  async function confirm(task: Task, registrations: Registered[]): Promise<boolean> {
    const { registration, subscription, handshakes } = task;
    const { confirm: call } = registration;
    if (call === undefined) return true;
    const isSecretNeeded = usesValue(call, 'handshakeSecret');
    for (const [index, registered] of registrations.entries()) {
      const handshakeSecret = handshakes[registered.id ?? ''] ?? task.values.webhookSecret;
      if (registered.isConfirmed || (isSecretNeeded && handshakeSecret === undefined)) continue;
      await perform(task, call, { ...idsOf(registered), handshakeSecret });
      registrations[index] = { ...registered, isConfirmed: true };
      await subscriptions.update(db, subscription, { registrations });
    }
    return registrations.every(({ isConfirmed }) => isConfirmed);
  }

  async function renew(task: Task): Promise<void> {
    const { registration, subscription } = task;
    if (registration.renew === undefined || registration.renew === 'again') return replace(task);
    let expiresAt = expiryOf(registration, undefined, now());
    for (const registered of subscription.registrations) {
      const answer = await perform(task, registration.renew, idsOf(registered));
      expiresAt = expiryOf(registration, textAt(answer, registration.answer.expiresAt), now());
    }
    await subscriptions.update(db, subscription, { state: 'active', expiresAt, lastError: null });
  }

  /** A new registration first, so that no event is missed. */
  async function replace(task: Task): Promise<void> {
    const { subscription } = task;
    await register({ ...task, subscription: { ...subscription, registrations: [] } });
    await removeAll(task, subscription.registrations).catch(() => undefined);
  }

  async function removeAll(task: Task, registrations: readonly Registered[]): Promise<void> {
    if (task.registration.remove === undefined) return;
    for (const registered of registrations) {
      await perform(task, task.registration.remove, idsOf(registered)).catch((error: unknown) => {
        // Gone, or not ours to remove any more: there is nothing left to do.
        if (!(error instanceof RegistrationError) || !error.isFinal) throw error;
      });
    }
  }

  /** What a failure is told as, and when the job is to run again. */
  async function noteFailure(subscription: Subscription, error: unknown): Promise<RunAgain> {
    const state = subscription.state === 'removing' ? 'removing' : 'failing';
    await subscriptions.update(db, subscription, { state, lastError: wordsOf(error) });
    const isFinal =
      (error instanceof RegistrationError && error.isFinal) ||
      (error instanceof ClientTokenError && !error.isTransient);
    const pauseMs = isFinal ? REFUSED_RETRY_MS : MINUTE_MS;
    return { runAgainAt: new Date(now() + pauseMs), projectId: subscription.projectId };
  }

  async function work(id: string, signal: AbortSignal): Promise<RunAgain | undefined> {
    const task = await prepare(id, signal);
    const subscription = task?.subscription ?? (await subscriptions.find(db, id));
    if (subscription === undefined || subscription.state === 'manual') return undefined;
    if (task === undefined) {
      // The way to register is gone with its integration, or the provider's file has changed.
      if (subscription.state === 'removing') await subscriptions.remove(db, subscription);
      return undefined;
    }
    try {
      if (subscription.state === 'removing') {
        await removeAll(task, subscription.registrations);
        await subscriptions.remove(db, subscription);
        deps.announce(subscription.projectId);
        return undefined;
      }
      const hasOther =
        subscription.registrations.length > 0 &&
        !task.registration.perEvent &&
        !isUnconfirmed(subscription, task.registration);
      if (subscription.state === 'pending' && hasOther) await replace(task);
      else if (subscription.state !== 'active' || subscription.registrations.length === 0)
        await register(task);
      else if (isDue(subscription, task.registration, now())) await renew(task);
    } catch (error) {
      if (signal.aborted) throw error;
      return noteFailure(subscription, error);
    }
    const after = await subscriptions.find(db, id);
    return after && nextRun(after, task.registration);
  }

  return {
    work,
    /** Removes registrations at their provider while their credentials are there; gives up after `limitMs`. */
    async removeNow(
      owner: { integrationId: string } | { connectionId: string },
      limitMs: number,
    ): Promise<void> {
      const signal = AbortSignal.timeout(limitMs);
      for (const { id, state } of await subscriptions.listOf(db, owner)) {
        if (state === 'manual' || signal.aborted) continue;
        const task = await prepare(id, signal);
        if (task) await removeAll(task, task.subscription.registrations).catch(() => undefined);
      }
    },
  };
}

function eventsOf({
  subscription,
  registration,
}: Pick<Task, 'subscription' | 'registration'>): readonly string[] {
  return subscription.wantedEvents.length > 0 ? subscription.wantedEvents : registration.events;
}

function isUnconfirmed({ registrations }: Subscription, { confirm }: ApiRegistration): boolean {
  return confirm !== undefined && registrations.some(({ isConfirmed }) => !isConfirmed);
}

function idsOf(registered: Registered | undefined) {
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

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function textAt(answer: unknown, path: string | undefined): string | null {
  const value = path === undefined ? undefined : valueAt(answer, path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** Of the answer as ISO text or in seconds or milliseconds, else what the catalog says. */
function expiryOf(
  { expiresSeconds }: ApiRegistration,
  told: string | null | undefined,
  nowMs: number,
): Date | null {
  const number = Number(told ?? Number.NaN);
  const toldMs = Number.isFinite(number) ? (number > 1e11 ? number : number * 1000) : Date.parse(told ?? '');
  if (toldMs > nowMs) return new Date(toldMs);
  return expiresSeconds === undefined ? null : new Date(nowMs + expiresSeconds * 1000);
}

function renewalMs({ expiresAt }: Subscription, { expiresSeconds }: ApiRegistration): number | undefined {
  if (expiresAt === null) return undefined;
  const lifeMs = (expiresSeconds ?? 3600) * 1000;
  return expiresAt.getTime() - Math.max(lifeMs * RENEW_SHARE, Math.min(RENEW_MARGIN_MS, lifeMs / 2));
}

function isDue(subscription: Subscription, registration: ApiRegistration, nowMs: number): boolean {
  return (renewalMs(subscription, registration) ?? Number.POSITIVE_INFINITY) <= nowMs;
}

function nextRun(subscription: Subscription, registration: ApiRegistration): RunAgain | undefined {
  const atMs = renewalMs(subscription, registration);
  const { projectId } = subscription;
  return atMs === undefined ? undefined : { runAgainAt: new Date(atMs), projectId };
}

/** Never an address or a value. */
function wordsOf(error: unknown): string {
  if (error instanceof RegistrationError || error instanceof ClientTokenError) return error.message;
  if (error instanceof OutboundError) return `The provider could not be reached (${error.kind}).`;
  const code =
    typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'internal_error';
  return `The registration failed (${code}).`;
}
