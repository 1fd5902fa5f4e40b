import type { IncomingMessage } from 'node:http';
import { HttpError } from '../http/errors.ts';
import { createOpaqueToken } from '../lib/opaque-tokens.ts';
import type { AgentSignInWithSecret } from '../projects/projects.store.ts';
import { RETURN_PATH } from './addresses.ts';
import type { Interaction } from './authorization-server.ts';
import type { OpenIdPeople } from './openid-people.ts';
import type { SignIns } from './sign-ins.ts';

export type WaysDependencies = {
  readonly publicUrl: string;
  readonly signIns: Pick<SignIns, 'begin' | 'takeAttempt' | 'settleAttempt'>;
  readonly openIdPeople: OpenIdPeople;
  findAgentSignIn(projectId: string): Promise<AgentSignInWithSecret | null>;
};

type Beginning = { readonly location: string; readonly cookie: string };

/** Sends the browser where the project signs persons in: to a page of the application, or its OpenID provider. */
export async function beginSignIn(
  deps: WaysDependencies,
  request: IncomingMessage,
  interaction: Interaction,
): Promise<Beginning> {
  const { projectId } = interaction;
  const setting = await deps.findAgentSignIn(projectId);
  const { page, openid, secretSealed = null } = setting ?? {};
  if (page) {
    const { token: state } = createOpaqueToken('');
    const location = new URL(page);
    location.searchParams.set('return_to', `${deps.publicUrl}${RETURN_PATH}`);
    location.searchParams.set('state', state);
    return { location: location.href, cookie: await deps.signIns.begin(request, interaction, { state }) };
  }
  if (!openid) throw new HttpError('agent_sign_in_unavailable');
  const { url, attempt } = await deps.openIdPeople.begin({ ...openid, projectId, secretSealed });
  const { issuer, clientId } = openid;
  const cookie = await deps.signIns.begin(request, interaction, {
    state: attempt.state,
    openid: { ...attempt, issuer, clientId },
  });
  return { location: url, cookie };
}

/** Takes the answer of the OpenID provider. Gives the interaction that goes on. */
export async function comeBackFromOpenId(
  { signIns, openIdPeople, findAgentSignIn }: WaysDependencies,
  request: IncomingMessage,
  projectId: string,
  query: string,
): Promise<string> {
  const state = new URLSearchParams(query).get('state') ?? '';
  const taken = await signIns.takeAttempt(request, projectId, state);
  const setting = await findAgentSignIn(projectId);
  const { openid, secretSealed = null } = setting ?? {};
  // Another provider's answer proves nothing to the one that is set now, and its code is not for it.
  if (openid?.issuer !== taken.openid.issuer || openid.clientId !== taken.openid.clientId)
    throw new HttpError('agent_sign_in_invalid');
  const client = { ...openid, projectId, secretSealed };
  await signIns.settleAttempt(taken, await openIdPeople.complete(client, query, taken.openid));
  return taken.uid;
}
