import { HttpError } from '../http/errors.ts';
import type { CallSigner } from '../request-signing/call-signer.ts';
import { hostUrl, otherApis } from './api-host.ts';
import type { CallOptions } from './call-environment.ts';
import type { CallTiming } from './call-timing.ts';
import type { Credential, MaybePromise, ProxyDependencies } from './contract.ts';
import type { ProviderResponse } from './exchange.ts';
import { firstField } from './field-list.ts';
import type { Identified } from './identify.ts';
import type { Intake } from './intake.ts';
import { hostField, type ProviderRequest, providerRequest } from './provider-request.ts';
import type { RequestBody } from './request-body.ts';
import { LinkRewriter } from './rewrite-links.ts';
import type { CallLimits } from './timeouts.ts';

/** What the attempts of one call have in common. */
export type AttemptsOptions = {
  readonly call: CallOptions;
  readonly identified: Identified;
  readonly intake: Intake;
  readonly body: RequestBody;
  /** See `Permit`. */
  readonly userKey: string;
  readonly limits: CallLimits;
  readonly timing: CallTiming;
  /** The provider must not get the call twice, whatever becomes of the first request. */
  readonly isOnce: boolean;
  /** Of a signed call: throws or rejects where it would not be let in any more. */
  readonly letInAgain: (() => MaybePromise<void>) | undefined;
};

/** The request of an attempt before it is signed; undefined where the credential lacks something. */
export function makeRequest(
  { call, identified, intake }: AttemptsOptions,
  credential: Credential,
  loopMark: string | undefined,
): ProviderRequest | undefined {
  const { request, target, fields } = call;
  const { connection, apiBase, carrier, token } = identified;
  return providerRequest({
    method: request.method ?? 'GET',
    target,
    fields,
    connection,
    apiBase,
    credential,
    carrier,
    token,
    loopMark,
    isIdentityWanted: intake.isRewritingLinks && connection.linkMembers !== undefined,
  });
}

export function incompleteCredentialError(): HttpError {
  const detail = 'The credential of the connection is incomplete.';
  return new HttpError('integration_misconfigured', { detail });
}

/** `body` is the whole body where the signature covers it. */
export function signRequest(
  { call, identified }: AttemptsOptions,
  { pathname, fields }: ProviderRequest,
  signing: {
    readonly signer: CallSigner;
    readonly credential: Credential;
    readonly body: Buffer | undefined;
    readonly nowMs: number;
  },
): ProviderRequest {
  const { apiBase } = identified;
  const signed = signing.signer.sign({
    method: call.request.method ?? 'GET',
    origin: apiBase.origin,
    host: hostField(apiBase),
    target: pathname,
    fields,
    hostName: call.target.host,
    body: signing.body,
    values: signing.credential.values,
    nowMs: signing.nowMs,
  });
  return { pathname: signed.target, fields: signed.fields };
}

/** For an answer to the request target `pathname`; undefined where the caller did not ask for it. */
export function linkRewriterFor(
  { call, identified, intake }: AttemptsOptions,
  { proxyUrl, publicUrl }: Pick<ProxyDependencies, 'proxyUrl' | 'publicUrl'>,
  pathname: string | undefined,
): LinkRewriter | undefined {
  if (!intake.isRewritingLinks || pathname === undefined) return undefined;
  const { connection, apiBase } = identified;
  const { projectId, provider, host, rawPath } = call.target;
  const { origin } = apiBase;
  const providerUrl = `${proxyUrl ?? publicUrl}/projects/${projectId}/proxy/${provider}`;
  return new LinkRewriter({
    apiUrl: origin + basePathOf(pathname, rawPath),
    calledUrl: origin + pathOf(pathname),
    proxyUrl: hostUrl(providerUrl, host),
    members: connection.linkMembers,
    others: otherApis(connection, host, providerUrl),
  });
}

/** What stands before the caller's own path in a request target: the base path, or what holds the credential there. */
function basePathOf(pathname: string, rawPath: string): string {
  const path = pathOf(pathname);
  return path.slice(0, path.length - rawPath.length).replace(/\/$/, '');
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

export function acceptsEventStream(accept: string | undefined): boolean {
  return accept !== undefined && /text\/event-stream/i.test(accept);
}

export function isEventStream({ status, rawHeaders }: ProviderResponse): boolean {
  return (
    status === 200 && /^\s*text\/event-stream\s*(?:;|$)/i.test(firstField(rawHeaders, 'content-type') ?? '')
  );
}

/** Media types of answers that come piece by piece for as long as the provider has something to say. */
const STREAM_TYPE =
  /^\s*(?:text\/event-stream|application\/(?:x-ndjson|x-jsonlines|jsonl|stream\+json|vnd\.amazon\.eventstream))\s*(?:;|$)/i;

/** True for an answer that may hold its connection for long. */
export function mayBeStream({ status, rawHeaders }: ProviderResponse): boolean {
  return status === 200 && STREAM_TYPE.test(firstField(rawHeaders, 'content-type') ?? '');
}
