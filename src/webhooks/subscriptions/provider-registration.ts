import type { OpenApplication } from '../../credentials/calling/application-client.ts';
import type { ProviderClient } from '../../credentials/calling/provider-client.ts';
import { placeCredential } from '../../lib/credential-placement.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { readPath } from '../../lib/json-path.ts';
import type { Outbound, OutboundResponse } from '../../platform/outbound.ts';
import { type ApiRegistration, fillCall, type RegistrationCall, type Values } from './registration-calls.ts';
import { listWantedEvents, type RegistrationTask } from './registration-task.ts';

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 256 * 1024;
const TOO_MANY_REQUESTS = 429;
const REQUEST_TIMEOUT = 408;

/** Calls the provider as a connection, or as the application. */
type RegistrationClient = Pick<ProviderClient, 'call' | 'follow'>;

/** HTTP Basic of the integration's client, as the API of a provider wants it. */
const CLIENT_BASIC = { in: 'basic', username: '{clientId}', password: '{clientSecret}' } as const;

/** Why a registration did not work, in words for operators; never an address with a secret. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError';
  readonly isFinal: boolean;
  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

export type ProviderRegistrationDeps = {
  readonly outbound: Outbound;
  openConnection(owner: { connectionId: string; projectId: string }): Promise<RegistrationClient>;
  openApplication: OpenApplication;
};

/**
 * Sends one call of a registration and answers the parsed response. Rejects with RegistrationError where the provider
 * refuses it or a value is missing, with ClientTokenError and OutboundError.
 */
export type CallProvider = (
  task: RegistrationTask,
  template: ApiRegistration['request'],
  extra: Values,
) => Promise<unknown>;

export function createCallProvider(deps: ProviderRegistrationDeps): CallProvider {
  return async (task, template, extra) => {
    const call = fillCall(template, { ...task.values, ...extra }, listWantedEvents(task));
    if (call === undefined) throw new RegistrationError('A value that the request needs is missing.', true);
    const response = await send(deps, task, call);
    if (response.status >= 200 && response.status < 300)
      return parseExactJson(response.body.toString('utf8'));
    const { status } = response;
    const isFinal = status < 500 && status !== TOO_MANY_REQUESTS && status !== REQUEST_TIMEOUT;
    throw new RegistrationError(`The provider answered ${status}.`, isFinal);
  };
}

async function send(
  deps: ProviderRegistrationDeps,
  task: RegistrationTask,
  call: RegistrationCall,
): Promise<OutboundResponse> {
  const limits = { timeoutMs: TIMEOUT_MS, responseBytesMax: RESPONSE_BYTES_MAX, signal: task.signal };
  const client = await openClient(deps, task);
  if (client === undefined) {
    const { body, ...rest } = call;
    const headers = { ...call.headers, ...authorizeAsClient(task) };
    return deps.outbound.request({ ...rest, ...limits, headers, ...(body !== undefined && { body }) });
  }
  const { method, url, headers, body } = call;
  const [path = '', ...query] = url.split('?');
  const request = { method, path, query: query.length === 0 ? '' : `?${query.join('?')}`, headers, body };
  if (url.startsWith('/')) return client.call(request, limits);
  const response = client.follow(url, request, limits);
  if (response !== undefined) return response;
  throw new RegistrationError('The address of the registration is not the API’s.', true);
}

/** Undefined where the call needs no token. */
async function openClient(
  deps: ProviderRegistrationDeps,
  { registration, subscription, owner }: RegistrationTask,
): Promise<RegistrationClient | undefined> {
  const { connectionId, integrationId, projectId } = subscription;
  if (registration.authorization === 'application') {
    const { scopes = [] } = owner.description.clientToken ?? {};
    return deps.openApplication({ integrationId, projectId }, scopes);
  }
  if (registration.authorization !== 'connection' || connectionId === null) return undefined;
  return deps.openConnection({ connectionId, projectId });
}

function authorizeAsClient({ registration, owner }: RegistrationTask): Readonly<Record<string, string>> {
  if (registration.authorization !== 'client') return {};
  const { clientId, clientSecrets } = owner.client;
  const placed = placeCredential(CLIENT_BASIC, { clientId, clientSecret: clientSecrets[0] ?? '' });
  return placed?.in === 'header' ? { [placed.name]: placed.value } : {};
}

/** A text or number of a provider's response; null where there is none. */
export function readText(response: unknown, path: string | undefined): string | null {
  const value = path === undefined ? undefined : readPath(response, path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
