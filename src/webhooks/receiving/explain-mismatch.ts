import { readMessage } from '../message/read-message.ts';
import type { WebhookRequest } from '../message/webhook.ts';
import { LARGE_BODY_BYTES } from '../processing/body-threads.ts';
import { OTHER_INTEGRATION, OTHER_SCHEME } from '../receipts/mismatch-reasons.ts';
import { needsFetchedKey, verifyMessage } from '../signatures/verify.ts';
import type { WebhookAddresses, WebhookOwner } from './addresses.ts';

/** Anybody may send what is not signed: of one integration, no more often than this is looked at closely. */
const PAUSE_MS = 10_000;
const REMEMBERED_MAX = 10_000;
const SIBLINGS_MAX = 20;

/** Why a signature fits no secret, as the reason of the rejected receipt. */
export type ExplainMismatch = (owner: WebhookOwner, request: WebhookRequest) => Promise<string>;

/**
 * Finds out whether a webhook whose signature does not fit was signed for another integration of the project and
 * provider, or for the same address with the other scheme. It stays refused; only its reason says more.
 */
export function createExplainMismatch(deps: {
  /** Other integrations of the project with the same provider. */
  listSiblings(owner: WebhookOwner, limit: number): Promise<string[]>;
  findOwner: WebhookAddresses['find'];
  now(): number;
}): ExplainMismatch {
  const looked = new Map<string, number>();

  function mayLook(integrationId: string): boolean {
    const now = deps.now();
    if (now - (looked.get(integrationId) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return false;
    if (looked.size >= REMEMBERED_MAX) looked.clear();
    looked.set(integrationId, now);
    return true;
  }

  return async (owner, request) => {
    const { integrationId, description } = owner;
    const isCheap = request.body.length <= LARGE_BODY_BYTES && !needsFetchedKey(description);
    if (!isCheap || !mayLook(integrationId)) return 'signature_mismatch';
    if (fits(owner, { ...request, url: swapScheme(request.url) }, deps.now())) return OTHER_SCHEME;
    for (const id of await deps.listSiblings(owner, SIBLINGS_MAX)) {
      const sibling = await deps.findOwner(id, undefined);
      const isSibling = sibling !== undefined && sibling.projectId === owner.projectId;
      if (isSibling && fits(sibling, request, deps.now())) return `${OTHER_INTEGRATION}:${id}`;
    }
    return 'signature_mismatch';
  };
}

function fits({ description, secrets }: WebhookOwner, request: WebhookRequest, nowMs: number): boolean {
  if (needsFetchedKey(description) || description.signature.scheme === 'none') return false;
  return verifyMessage(description, readMessage(request, description.payload), secrets, nowMs).ok;
}

function swapScheme(url: string): string {
  return url.startsWith('https:') ? url.replace('https:', 'http:') : url.replace('http:', 'https:');
}
