import type { ClientAbilities } from './caller.ts';

type Sdk = typeof import('@modelcontextprotocol/server');

/** The user has to open a page, in a client that opens addresses: to connect an account, or to approve a call. */
export type Ask = {
  readonly kind: 'ask';
  readonly topic: 'connect' | 'approve';
  readonly id: string;
  readonly url: string;
  readonly message: string;
};

/** What came of an earlier question, where the client repeats the call with it. */
export type Reply = {
  readonly topic: Ask['topic'];
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly completionCode: string | undefined;
};

const CODE_FORM = {
  type: 'object' as const,
  properties: { completionCode: { type: 'string' as const, title: 'Code of the last page' } },
  required: ['completionCode'],
};

/** Nothing to fill in: its button says that the user has decided on the page. */
const DECIDED_FORM = { type: 'object' as const, properties: {} };

/**
 * The question in revision 2026-07-28: the page and, where the client has forms, one that the user sends off when they
 * are done there. The code of a connection goes that way, so that no model gets to see it.
 */
export function askModern(sdk: Sdk, { topic, url, message }: Ask, { fillsForms }: ClientAbilities) {
  const page = sdk.inputRequired.elicitUrl({ url, message });
  if (topic === 'connect') {
    const code = fillsForms && sdk.inputRequired.elicit({ message, requestedSchema: CODE_FORM });
    return sdk.inputRequired({ inputRequests: { connect: page, ...(code && { code }) } });
  }
  const done = 'Continue once you have decided on the page.';
  const decided = fillsForms && sdk.inputRequired.elicit({ message: done, requestedSchema: DECIDED_FORM });
  return sdk.inputRequired({ inputRequests: { approve: page, ...(decided && { decided }) } });
}

/** In revision 2025-11-25 the question is an error, after which the client repeats the call. */
export function askEarlier(sdk: Sdk, { id: elicitationId, url, message }: Ask) {
  return new sdk.UrlElicitationRequiredError([{ mode: 'url', elicitationId, url, message }]);
}

/** What the user did with an earlier question of `askModern`. It comes from the client: it decides nothing by itself. */
export function readReply(sdk: Sdk, responses: Parameters<Sdk['inputResponse']>[0]): Reply | undefined {
  const connect = sdk.inputResponse(responses, 'connect');
  if (connect.kind === 'elicit') {
    const code = sdk.acceptedContent(responses, 'code')?.completionCode;
    const completionCode = typeof code === 'string' ? code.slice(0, 200) : undefined;
    return { topic: 'connect', action: connect.action, completionCode };
  }
  const approve = sdk.inputResponse(responses, 'approve');
  if (approve.kind !== 'elicit') return undefined;
  const decided = sdk.inputResponse(responses, 'decided');
  const action = decided.kind === 'elicit' && approve.action === 'accept' ? decided.action : approve.action;
  return { topic: 'approve', action, completionCode: undefined };
}
