import type { IncomingMessage } from 'node:http';
import { HttpError } from '../http/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Admission } from './admission.ts';
import type {
  CallerCredential,
  ConnectionChoice,
  Credential,
  MaybePromise,
  ProxyDependencies,
  ResolvedConnection,
  VerifiedUser,
} from './contract.ts';
import {
  type CallerPlaces,
  callerPlaces,
  type RequestFields,
  readToken,
  type TokenPlace,
} from './headers.ts';
import { isProviderId, type ProxyTarget } from './target.ts';

/** Everything that a call is sent with. */
export type Identified = {
  readonly token: string;
  readonly place: TokenPlace;
  readonly connection: ResolvedConnection;
  readonly credential: Credential;
};

type Needs = Pick<ProxyDependencies, 'verifyUserToken' | 'resolve' | 'credential' | 'unknownProvider'>;

/** Continues at once with a value, later with a promise: a warm call stays without promises. */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** Any thenable counts: a promise of another realm is no `instanceof Promise`. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/**
 * User JWT, user, connection, credential. Throws or rejects with the refusal. Whoever cannot show a good token learns
 * nothing about providers and connections.
 */
export function identify(
  deps: Needs,
  admission: Admission,
  call: {
    readonly request: IncomingMessage;
    readonly target: ProxyTarget;
    readonly fields: RequestFields;
    readonly places: CallerPlaces;
    readonly isKnownProvider: boolean;
  },
): MaybePromise<Identified> {
  const { target, fields } = call;
  const { token, place } = requireToken(fields, call.places, target);
  return chain(deps.verifyUserToken(target.projectId, token, call.request), (user) => {
    admission.spend(user);
    if (!call.isKnownProvider)
      throw deps.unknownProvider?.(target.projectId, target.provider) ?? new HttpError('provider_unknown');
    return chain(deps.resolve(connectionChoice(target, fields, user)), (connection) =>
      chain(deps.credential(connection), (credential) => ({ token, place, connection, credential })),
    );
  });
}

function requireToken(
  fields: RequestFields,
  places: CallerPlaces,
  target: ProxyTarget,
): { token: string; place: TokenPlace } {
  const reading = readToken(fields, places);
  if (reading.kind === 'missing') throw new HttpError('token_missing');
  if (reading.kind === 'several') {
    throw new HttpError('invalid_request', { detail: 'The request carries more than one credential.' });
  }
  if (target.rawPath.includes(reading.token) || target.rawQuery.includes(reading.token)) {
    // RFC 6750 section 5.3; and the URL goes to the provider as it is.
    throw new HttpError('invalid_request', { detail: 'The user token must not stand in the URL.' });
  }
  // A store would take a malformed id for a fault of its own.
  if (!isUuid(target.projectId)) throw new HttpError('token_invalid');
  return reading;
}

function connectionChoice(target: ProxyTarget, fields: RequestFields, user: VerifiedUser): ConnectionChoice {
  const { gatewayConnection: connectionId, gatewayIntegration: integrationId } = fields;
  if (connectionId !== undefined && !isUuid(connectionId)) throw new HttpError('connection_not_found');
  if (integrationId !== undefined && !isUuid(integrationId)) throw new HttpError('integration_not_found');
  const { projectId, provider } = target;
  // Most calls choose nothing.
  if (connectionId === undefined && integrationId === undefined) return { projectId, user, provider };
  return {
    projectId,
    user,
    provider,
    ...(connectionId !== undefined && { connectionId }),
    ...(integrationId !== undefined && { integrationId }),
  };
}

const BEARER_ONLY = callerPlaces([]);
const arranged = new WeakMap<readonly CallerCredential[], CallerPlaces>();

export type ProviderPlaces = { readonly places: CallerPlaces; readonly isKnownProvider: boolean };

/** The provider's caller places; Bearer alone for a provider that nobody knows. */
export function placesOf(
  deps: Pick<ProxyDependencies, 'callerCredentials'>,
  { projectId, provider }: Pick<ProxyTarget, 'projectId' | 'provider'>,
): MaybePromise<ProviderPlaces> {
  const credentials = isProviderId(provider) ? deps.callerCredentials(projectId, provider) : undefined;
  return chain(credentials, arrangedPlaces);
}

function arrangedPlaces(credentials: readonly CallerCredential[] | undefined): ProviderPlaces {
  if (credentials === undefined) return { places: BEARER_ONLY, isKnownProvider: false };
  if (credentials.length === 0) return { places: BEARER_ONLY, isKnownProvider: true };
  const known = arranged.get(credentials);
  if (known) return { places: known, isKnownProvider: true };
  const places = callerPlaces(credentials);
  arranged.set(credentials, places);
  return { places, isKnownProvider: true };
}
