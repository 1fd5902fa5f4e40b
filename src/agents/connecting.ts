import type { UserSessions } from '../connect/sessions-of-users.ts';
import { HttpError } from '../http/errors.ts';
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

/** The page on which a connect session of this door ends. */
export const CONNECTED_PATH = '/agents/connected';

type Wanted = { readonly provider: string; readonly connection?: string | undefined };

export type Connecting = ReturnType<typeof createConnecting>;

/**
 * Asks for a connection that is missing. Whoever opens the link proves to be the user of the token by the code of its
 * last page, which comes back together with that token: without it nothing is connected (cross-user session fixation,
 * and the rule of MCP for elicitation by URL).
 */
export function createConnecting(deps: {
  readonly sessions: UserSessions;
  readonly publicUrl: string;
  endUserId(projectId: string, subject: string): Promise<string>;
}) {
  const { sessions, publicUrl } = deps;

  async function principalOf({ user: { projectId, subject } }: Caller) {
    const endUserId = await deps.endUserId(projectId, subject);
    return { kind: 'end_user' as const, projectId, endUserId, subject };
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
    reply?: Reply,
  ): Promise<ToolResult | Ask> {
    const isAsked = reply?.topic === 'connect';
    if (isAsked && reply.action !== 'accept') throw new HttpError('connection_declined');
    // The page was opened: what is missing is its code, and a second page would only confuse.
    if (isAsked) return createRefusal(describeRefusal(new HttpError('connection_needed')));
    const { id, url } = await sessions.begin(await principalOf(caller), {
      provider: provider.split('~', 1)[0] ?? provider,
      connectionId: connection,
      returnUrl: `${publicUrl}${CONNECTED_PATH}`,
    });
    const message = `Connect your account at ${provider}, and copy the code that the last page shows.`;
    if (caller.abilities.opensUrls) return { kind: 'ask', topic: 'connect', id, url, message };
    return createResult(
      { source: 'gateway', ...describeRefusal(new HttpError('connection_needed')), connectUrl: url },
      true,
    );
  }

  return { ask, complete };
}

/** What a refusal of a call says is missing; undefined where connecting would not help. */
export function findMissing(refusal: Refusal, { provider, connection }: Wanted): Wanted | undefined {
  // Another connection than the one that was named is none of the user's, or gone.
  if (refusal.code === 'connection_not_found') return connection === undefined ? { provider } : undefined;
  if (refusal.code !== 'reauthorization_required') return undefined;
  return { provider, connection: refusal.connectionId ?? connection };
}
