import type { IncomingMessage } from 'node:http';
import { HttpError } from '../http/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { joinMandates } from '../mandates/user-mandate.ts';
import type { Permit } from './admission.ts';
import { apiBaseFor } from './api-host.ts';
import { assertApplicationFields } from './application-fields.ts';
import type { CallTrace } from './call-trace.ts';
import { type CallerPlaces, indexCallerPlaces, readToken } from './caller-token.ts';
import { chain, isPromise } from './chain.ts';
import { connectionChoice } from './connection-choice.ts';
import type {
  ApiBase,
  ApprovalQuestion,
  CallerCredential,
  Credential,
  Door,
  MaybePromise,
  NeededApproval,
  ProxyDependencies,
  ResolvedConnection,
  VerifiedUser,
} from './contract.ts';
import { letInAgain } from './let-in-again.ts';
import type { MandateCheck } from './mandate-check.ts';
import type { RequestFields } from './request-fields.ts';
import { isProviderId, type ProxyTarget } from './target.ts';
import { holdsToken } from './token-traces.ts';

/** Everything that a call is sent with. */
export type Identified = {
  readonly token: string;
  /** The header field that takes the bare credential, where it is not the provider's usual one. */
  readonly carrier: string | undefined;
  readonly connection: ResolvedConnection;
  /** Of the connection: its API base, or the host that the path names. */
  readonly apiBase: ApiBase;
  readonly credential: Credential;
  /** Set where the mandate of the token wants the call approved first. */
  readonly approval:
    | (NeededApproval & { readonly user: VerifiedUser; readonly door: ApprovalQuestion['door'] })
    | undefined;
};

type Needs = Pick<
  ProxyDependencies,
  'verifyUserToken' | 'isFrozen' | 'resolve' | 'credential' | 'unknownProviderError'
>;

/**
 * User JWT, user, connection, credential. Throws or rejects with the refusal. A caller without a valid token learns
 * nothing about providers and connections.
 */
export function identify(deps: Needs, permit: Permit, call: Identifiable): MaybePromise<Identified> {
  const { target, fields, door } = call;
  const brought: Brought = door
    ? { token: door.token, carrier: undefined }
    : requireToken(fields, call.places, target);
  return chain(door?.user ?? verify(deps, permit, call, brought.token), (user) =>
    chain(permit.enterUser(user), () => choose(deps, permit, call, brought, user)),
  );
}

type Brought = { readonly token: string; readonly carrier: string | undefined };

type Identifiable = {
  readonly request: IncomingMessage;
  readonly target: ProxyTarget;
  readonly fields: RequestFields;
  readonly places: CallerPlaces;
  readonly isKnownProvider: boolean;
  readonly checkMandate: MandateCheck;
  /** Undefined: the body is longer. */
  readonly holdBody: (bytesMax: number) => Promise<Uint8Array | undefined>;
  readonly door: Door | undefined;
  readonly trace: CallTrace | undefined;
};

/** The connection and credential of a user whose call is counted in. */
function choose(
  deps: Needs,
  permit: Permit,
  call: Identifiable,
  brought: Brought,
  user: VerifiedUser,
): MaybePromise<Identified> {
  const { target, fields, door, trace } = call;
  if (deps.isFrozen?.(target.projectId)) throw new HttpError('project_frozen');
  if (!call.isKnownProvider)
    throw deps.unknownProviderError?.(target.projectId, target.provider) ?? new HttpError('provider_unknown');
  return chain(deps.resolve(connectionChoice(target, fields, user)), (connection) => {
    permit.connection = connection;
    assertApplicationFields(connection, fields.forward, target);
    const noteEntries = (entries: readonly number[]): void => {
      permit.mandateEntries = entries;
    };
    const find = (needed: NeededApproval | undefined): MaybePromise<Identified> => {
      const apiBase = apiBaseFor(target, connection);
      const approval = needed && { ...needed, user, door: door && { client: door.client } };
      const found =
        trace === undefined ? deps.credential(connection) : trace.within(() => deps.credential(connection));
      return chain(found, (credential) => ({ ...brought, connection, apiBase, credential, approval }));
    };
    const { projectId, subject } = user;
    const mandate = joinMandates(user.mandate, door?.mandate);
    if (mandate === undefined) return find(undefined);
    const isBodyAwaited = !call.request.complete;
    const checked = call.checkMandate({ projectId, subject, mandate }, connection, call, noteEntries);
    if (!isBodyAwaited || !isPromise(checked)) return chain(checked, find);
    return checked.then((needed) => chain(letInAgain(deps, permit, call, brought.token), () => find(needed)));
  });
}

/** A token that takes its time, such as one with a key that has to be fetched first, counts for its project meanwhile. */
function verify(
  deps: Needs,
  permit: Permit,
  { request, target: { projectId } }: { readonly request: IncomingMessage; readonly target: ProxyTarget },
  token: string,
): MaybePromise<VerifiedUser> {
  const verified = deps.verifyUserToken(projectId, token, request);
  if (!isPromise(verified)) return verified;
  try {
    permit.awaitVerification(projectId);
  } catch (error) {
    // The refusal is given already.
    verified.catch(() => undefined);
    throw error;
  }
  return verified;
}

function requireToken(
  fields: RequestFields,
  places: CallerPlaces,
  target: ProxyTarget,
): { token: string; carrier: string | undefined } {
  const reading = readToken(fields, places);
  if (reading.kind !== 'token') throw tokenRefusal(reading.kind);
  const { token } = reading;
  if (token.startsWith('igk_')) throw foreignCredentialError('a project API key');
  if (token.startsWith('igo_')) throw foreignCredentialError('a personal access token');
  if (holdsToken(target.rawPath, token) || holdsToken(target.rawQuery, token)) {
    // RFC 6750 section 5.3; and the URL goes to the provider as it is.
    throw new HttpError('invalid_request', { detail: 'The user token must not stand in the URL.' });
  }
  // A store would take a malformed id for a fault of its own.
  if (!isUuid(target.projectId)) throw new HttpError('token_invalid', { detail: NO_PROJECT });
  return reading;
}

const NO_PROJECT =
  'After /projects/ the path has the id of the project, a UUID, as the proxy address on the page of an integration shows it.';

function tokenRefusal(kind: 'missing' | 'empty' | 'several'): HttpError {
  if (kind === 'missing') return new HttpError('token_missing');
  if (kind === 'several') {
    return new HttpError('invalid_request', { detail: 'The request carries more than one credential.' });
  }
  return new HttpError('token_missing', {
    detail: 'The field for the user token is there, but holds no token.',
  });
}

/** The refusal for one of the gateway's own keys or tokens, whose holder mistook the address. */
function foreignCredentialError(what: string): HttpError {
  return new HttpError('token_invalid', { detail: `This is ${what}; the proxy takes the token of a user.` });
}

const BEARER_ONLY = indexCallerPlaces([]);
const arranged = new WeakMap<readonly CallerCredential[], CallerPlaces>();

export type ProviderPlaces = { readonly places: CallerPlaces; readonly isKnownProvider: boolean };

/** The provider's caller places; Bearer alone for an unknown provider. */
export function findCallerPlaces(
  deps: Pick<ProxyDependencies, 'callerCredentials'>,
  { projectId, provider }: Pick<ProxyTarget, 'projectId' | 'provider'>,
): MaybePromise<ProviderPlaces> {
  const credentials = isProviderId(provider) ? deps.callerCredentials(projectId, provider) : undefined;
  return chain(credentials, indexPlaces);
}

function indexPlaces(credentials: readonly CallerCredential[] | undefined): ProviderPlaces {
  if (credentials === undefined) return { places: BEARER_ONLY, isKnownProvider: false };
  if (credentials.length === 0) return { places: BEARER_ONLY, isKnownProvider: true };
  const known = arranged.get(credentials);
  if (known) return { places: known, isKnownProvider: true };
  const places = indexCallerPlaces(credentials);
  arranged.set(credentials, places);
  return { places, isKnownProvider: true };
}
