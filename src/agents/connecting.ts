import type { UserSessions } from '../connect/sessions-of-users.ts';
import { HttpError } from '../http/errors.ts';
import { findOrganization } from '../identity/authenticate.ts';
import { isUuid } from '../lib/ids.ts';
import type { Ask, Reply } from './ask-user.ts';
import type { Caller } from './caller.ts';
import {
  createRefusal,
  createResult,
  describeRefusal,
  type Refusal,
  type ToolResult,
} from './tool-results.ts';
import { assertWithinMandate } from './within-mandate.ts';

/** The page on which a connect session of this door ends. */
export const CONNECTED_PATH = '/agents/connected';

type Wanted = { readonly provider: string; readonly connection?: string | undefined };

export type Connecting = ReturnType<typeof createConnecting>;

/**
 * Asks for a connection that is missing. The person who opens the link proves to be the user of the token by the code of its
 * last page, which comes back together with that token: without it nothing is connected (cross-user session fixation,
 * and the rule of MCP for elicitation by URL).
 */
export function createConnecting(deps: {
  readonly sessions: UserSessions;
  readonly publicUrl: string;
  endUserId(projectId: string, subject: string): Promise<string>;
  organizationId(projectId: string, organization: string): Promise<string>;
}) {
  const { sessions, publicUrl } = deps;

  async function principalOf({ user: { projectId, subject, membership } }: Caller) {
    const endUserId = await deps.endUserId(projectId, subject);
    const organization = membership && (await findOrganization(deps, projectId, membership));
    return { kind: 'end_user' as const, projectId, endUserId, subject, organization };
  }

  async function complete(caller: Caller, code: string): Promise<string> {
    const [sessionId = '', secret = '', ...rest] = code.trim().split('.');
    if (!isUuid(sessionId) || secret === '' || rest.length > 0)
      throw new HttpError('completion_code_invalid');
    return sessions.complete(await principalOf(caller), sessionId, secret);
  }

  async function ask(
    caller: Caller,
    { provider, connection }: Wanted,
    reply: Reply | undefined,
    how: 'by the tool' | 'in passing',
  ): Promise<ToolResult | Ask> {
    // An account that the agent could not use would only be one more.
    assertWithinMandate(caller.user, provider);
    const isAsked = reply?.topic === 'connect';
    if (isAsked && reply.action !== 'accept') throw new HttpError('connection_declined');
    // The page was opened: what is missing is its code, and a second page would only confuse.
    if (isAsked) return createRefusal(describeRefusal(new HttpError('connection_needed')));
    const { opensUrls, showsCards } = caller.abilities;
    // Cards belong to the results of one tool.
    if (showsCards && !opensUrls && how === 'in passing') return referToCard(provider);
    const { id, url } = await sessions.begin(await principalOf(caller), {
      provider: provider.split('~', 1)[0] ?? provider,
      connectionId: connection,
      returnUrl: `${publicUrl}${CONNECTED_PATH}`,
      token: caller.token,
    });
    const message = `Connect your account at ${provider}, and copy the code that the last page shows.`;
    if (opensUrls) return { kind: 'ask', topic: 'connect', id, url, message };
    if (showsCards) return createCardResult(provider, url);
    return createResult(
      { source: 'gateway', ...describeRefusal(new HttpError('connection_needed')), connectUrl: url },
      true,
    );
  }

  return { ask, complete };
}

/** The text is for the model, the rest for the card, whose button opens the page. */
function createCardResult(provider: string, connectUrl: string): ToolResult {
  const text =
    'The user sees a card with a button to connect the account, and enters the code of the last page there. Wait until they say that they are done, then make the call again that needed it.';
  return {
    content: [{ type: 'text', text }],
    structuredContent: { source: 'gateway', isConnected: false, provider, connectUrl },
  };
}

function referToCard(provider: string): ToolResult {
  const refusal = describeRefusal(new HttpError('connection_needed'));
  const remedy = `Call the tool connect for ${provider}: it shows the user a card with a button. Then make this call again.`;
  return createRefusal({ ...refusal, remedy });
}

/** What a refusal of a call says is missing; undefined where connecting would not help. */
export function findMissing(refusal: Refusal, { provider, connection }: Wanted): Wanted | undefined {
  // Another connection than the one that was named is none of the user's, or gone.
  if (refusal.code === 'connection_not_found') return connection === undefined ? { provider } : undefined;
  if (refusal.code !== 'reauthorization_required') return undefined;
  return { provider, connection: refusal.connectionId ?? connection };
}
