import { HttpError } from '../../http/errors.ts';
import { createMethodError } from '../../http/other-methods.ts';
import type { WebhookResponse } from '../message/response.ts';
import type { RefusalReason, Verification, WebhookDescription, WebhookRequest } from '../message/webhook.ts';
import { type BodyThreads, BodyThreadsBusyError, LARGE_BODY_BYTES } from '../processing/body-threads.ts';
import { isReadable } from '../processing/readable-body.ts';
import { keepBody } from '../receipts/kept-body.ts';
import { keepHeaders, keepQuery } from '../receipts/kept-headers.ts';
import { concernsSecret } from '../receipts/mismatch-reasons.ts';
import {
  type IdentifiedReceipt,
  identifyReceipt,
  type NewReceipt,
  type ReceiptState,
} from '../receipts/receipt.ts';
import { REJECTED_BODY_BYTES_MAX } from '../receipts/receipts.store.ts';
import type { RejectedReceipts } from '../receipts/rejected-receipts.ts';
import { needsFetchedKey, verifyWebhook } from '../signatures/verify.ts';
import { awaitsHandshake } from '../subscriptions/handshakes.store.ts';
import type { WebhookOwner } from './addresses.ts';
import type { ExplainMismatch } from './explain-mismatch.ts';
import { listMethods, respondToHandshake } from './handshake.ts';
import type { KeptSecret } from './handshake-secrets.store.ts';
import { type FetchKey, KeyUnavailableError } from './key-fetcher.ts';

/** Judges a request and stores what it brings. Resolves after the commit. Throws HttpError, and what a store throws. */
export type Receive = (owner: WebhookOwner, request: WebhookRequest) => Promise<WebhookResponse>;

export type ReceiveOutcome = 'stored' | 'handshake' | 'signature_invalid' | 'malformed' | 'failed';

const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  missing: 'The request has no signature where the provider puts it.',
  malformed: 'The signature does not have the form that the provider gives it.',
  expired: 'The signed time is too far from now.',
  mismatch: 'The signature does not fit the body and any secret of the integration.',
  no_secret: 'The integration has no secret to verify webhooks with.',
};

const NOT_AWAITED =
  'No operator waits for a handshake at this address. Press "Wait for the handshake" at the integration’s webhook URL in the dashboard, or call POST /v1/integrations/{id}/webhook-handshake, then register the address at the provider again.';

/** Storage is freed by the day. */
const STORAGE_RETRY_SECONDS = '900';

export type ReceiveDependencies = {
  write(receipt: IdentifiedReceipt): Promise<void>;
  /** Whether the project keeps as much in the store as it may. */
  isFull(projectId: string): Promise<boolean>;
  /** Keeps the secret that a handshake brought, where none is known: of the address, or of one registration. */
  keepFirstSecret(
    owner: WebhookOwner,
    secret: string,
    registrationId: string | undefined,
  ): Promise<KeptSecret>;
  rejectedReceipts: Pick<RejectedReceipts, 'noteVerified' | 'noteRejected'>;
  /** Says for operators what a signature fits that is refused. */
  explainMismatch: ExplainMismatch;
  /** Has the project's receipts processed. */
  kick(projectId: string): void;
  count(provider: string, outcome: ReceiveOutcome, projectId: string): void;
  tools: { readonly now: () => number; readonly fetchKey: FetchKey };
  bodyThreads: Pick<BodyThreads, 'verify'>;
};

export function createReceive(deps: ReceiveDependencies): Receive {
  return async (owner, request) => {
    try {
      return await receive(deps, owner, request);
    } catch (error) {
      if (!(error instanceof HttpError)) deps.count(owner.description.providerId, 'failed', owner.projectId);
      throw error;
    }
  };
}

async function receive(
  deps: ReceiveDependencies,
  owner: WebhookOwner,
  request: WebhookRequest,
): Promise<WebhookResponse> {
  const { description } = owner;
  const handshake = await respondIfHandshake(deps, owner, request);
  if (handshake) return handshake;
  // What is no handshake must bring something: a GET of a browser is no webhook.
  if (request.method !== 'POST') throw createMethodError(listMethods(description));
  const verified = await verify(deps, owner, request);
  if (!verified.ok) {
    const error = new HttpError('signature_invalid', { detail: REFUSALS[verified.reason] });
    const isMismatch = verified.reason === 'mismatch';
    const reason = isMismatch ? await deps.explainMismatch(owner, request) : `signature_${verified.reason}`;
    throw reject(deps, owner, request, reason, error);
  }
  deps.rejectedReceipts.noteVerified(owner);
  if (!isReadable(description, request)) {
    throw reject(deps, owner, request, 'malformed', new HttpError('webhook_malformed'));
  }
  // Its sender proved to be the provider; a 2xx would say that it is kept.
  if (await deps.isFull(owner.projectId)) {
    deps.count(description.providerId, 'failed', owner.projectId);
    throw new HttpError('project_storage_full', { headers: { 'Retry-After': STORAGE_RETRY_SECONDS } });
  }
  await deps.write(identifyReceipt(buildReceipt(owner, request, 'accepted', null)));
  deps.kick(owner.projectId);
  deps.count(description.providerId, 'stored', owner.projectId);
  return acknowledge(description, request);
}

async function respondIfHandshake(
  deps: ReceiveDependencies,
  owner: WebhookOwner,
  request: WebhookRequest,
): Promise<WebhookResponse | undefined> {
  // Handshakes are small; looking for one in a large body would hold up every other request.
  if (request.body.length > LARGE_BODY_BYTES) return undefined;
  const { description, secrets, verifyTokens } = owner;
  const mayBeAwaited = owner.address !== undefined && awaitsHandshake(description);
  const tools = { now: deps.tools.now, verifyTokens, mayBeAwaited };
  const response = respondToHandshake(description, request, secrets, tools);
  if (response === undefined) return undefined;
  const { keepSecret, registrationId, status, headers, type, body } = response;
  const kept =
    keepSecret === undefined ? 'kept' : await deps.keepFirstSecret(owner, keepSecret, registrationId);
  // Nothing awaits it: it is judged as a webhook, which has to be signed.
  if (kept === 'known' && mayBeAwaited) return undefined;
  // A second secret is another sender's: the one that is known stays.
  if (kept === 'known') {
    throw new HttpError('signature_invalid', { detail: 'The secret of this address is known already.' });
  }
  if (kept === 'not_awaited') {
    const error = new HttpError('signature_invalid', { detail: NOT_AWAITED });
    throw reject(deps, owner, request, 'handshake_not_awaited', error);
  }
  deps.count(description.providerId, 'handshake', owner.projectId);
  return { status, headers, type, body };
}

/** Keeps the request for operators and answers the error. */
function reject(
  deps: ReceiveDependencies,
  owner: WebhookOwner,
  request: WebhookRequest,
  reason: string,
  error: HttpError,
): HttpError {
  const receipt = buildReceipt(owner, request, 'rejected', reason);
  deps.rejectedReceipts.noteRejected(receipt, concernsSecret(reason));
  const outcome = error.code === 'signature_invalid' ? 'signature_invalid' : 'malformed';
  deps.count(owner.description.providerId, outcome, owner.projectId);
  return error;
}

/** Large bodies are read by a thread, unless the key to verify with has to be fetched. */
function verify(
  deps: ReceiveDependencies,
  owner: WebhookOwner,
  request: WebhookRequest,
): Promise<Verification> {
  const isLarge = request.body.length > LARGE_BODY_BYTES;
  return isLarge && !needsFetchedKey(owner.description)
    ? verifyLarge(deps, owner, request)
    : verifySmall(deps, owner, request);
}

async function verifySmall(
  { tools }: ReceiveDependencies,
  owner: WebhookOwner,
  request: WebhookRequest,
): Promise<Verification> {
  try {
    return await verifyWebhook(owner.description, request, owner.secrets, {
      now: tools.now,
      fetchKey: (url, options) => tools.fetchKey(url, options, owner),
    });
  } catch (error) {
    if (!(error instanceof KeyUnavailableError)) throw error;
    throw new HttpError('overloaded', {
      detail: 'The key of the provider, with which the signature is verified, could not be fetched.',
      headers: { 'Retry-After': String(error.retryAfterSeconds) },
      cause: error,
    });
  }
}

async function verifyLarge(
  { bodyThreads, tools }: ReceiveDependencies,
  owner: WebhookOwner,
  request: WebhookRequest,
): Promise<Verification> {
  try {
    return await bodyThreads.verify(owner, request, tools.now());
  } catch (error) {
    throw error instanceof BodyThreadsBusyError ? new HttpError('overloaded') : error;
  }
}

function acknowledge(description: WebhookDescription, { headers }: WebhookRequest): WebhookResponse {
  const { status = 200, body = '', contentType: type, echoHeaders = [] } = description.acknowledge ?? {};
  const echoed = echoHeaders.flatMap((name) => {
    const [value, ...others] = headers.get(name.toLowerCase()) ?? [];
    return value === undefined || others.length > 0 ? [] : [[name, value] as const];
  });
  return { status, headers: Object.fromEntries(echoed), type, body };
}

function buildReceipt(
  owner: WebhookOwner,
  request: WebhookRequest,
  state: ReceiptState,
  reason: string | null,
): NewReceipt {
  const { integrationId, projectId, address, description } = owner;
  const isVerified = state === 'accepted';
  const shown = isVerified
    ? request
    : { ...request, body: request.body.subarray(0, REJECTED_BODY_BYTES_MAX) };
  const body = keepBody(shown, description, { secrets: owner.secrets, isVerified });
  return {
    integrationId,
    projectId,
    connectionId: address?.connectionId ?? null,
    state,
    reason,
    method: request.method,
    query: keepQuery(request.query, description),
    headers: keepHeaders(request.headers, description),
    body,
    bodyBytes: body.length + request.body.length - shown.body.length,
  };
}
