import { HttpError } from '../http/errors.ts';
import type { Ask, Reply } from './ask-user.ts';
import type { Caller } from './caller.ts';
import { createRefusal, type Refusal, type ToolResult } from './tool-results.ts';

/** A client of this door names no approval: the gateway finds the one of the call that is repeated. */
const REMEDIES: Readonly<Record<string, string>> = {
  approval_required:
    'Show the user `approvalUrl`. Once they have approved the call there, make exactly the same call again: it is sent then, once.',
  approval_used:
    'Find out at the provider whether the call was carried out. The same call, made again, asks the user again.',
};

/** Throws `approval_declined` where the user did not want to see the page: the call is not tried again. */
export function assertNotDeclined(reply: Reply | undefined): void {
  if (reply?.topic === 'approve' && reply.action !== 'accept') throw new HttpError('approval_declined');
}

/** The answer to a call that waits for a person: the page, in the way that the client has, else its address. */
export function answerApproval(
  refusal: Refusal,
  { abilities }: Pick<Caller, 'abilities'>,
  reply: Reply | undefined,
): ToolResult | Ask {
  const { approvalId: id, approvalUrl: url } = refusal;
  // Where the page has been shown already, asking once more would only go round in a circle.
  const isAsked = reply?.topic === 'approve';
  if (refusal.code === 'approval_required' && abilities.opensUrls && !isAsked && id && url) {
    const message = 'Look at a call that needs your approval, and decide about it on this page.';
    return { kind: 'ask', topic: 'approve', id, url, message };
  }
  return createRefusal({ ...refusal, remedy: REMEDIES[refusal.code] ?? refusal.remedy });
}
