import { callApi, callApiOk } from '../support/gateway.ts';
import { APP_ORIGIN, authorize, PROVIDER, proxyUrl, readOutcome, type Stage } from '../support/stage.ts';

export const ACME = { org: 'acme' };
export const MANAGER = { org: 'acme', gateway_roles: ['connections:manage'] };

/** A member of an organization, as a token of theirs says. */
export type Member = { readonly userId: string; readonly claims?: Record<string, unknown> };

export const signToken = ({ project }: Pick<Stage, 'project'>, { userId, claims = {} }: Member) =>
  project.userToken(userId, { claims });

export const callAs = (
  stage: Stage,
  member: Member,
  method: string,
  path: string,
  body?: Record<string, unknown>,
) =>
  callApi(stage.gateway.url, method, path, {
    bearer: signToken(stage, member),
    headers: { origin: APP_ORIGIN },
    ...(body && { body }),
  });

/** Connects an account, for the organization unless said otherwise; the connection as the API shows it. */
export async function connectAs(
  stage: Stage,
  member: Member,
  session: Record<string, unknown> = { owner: 'organization' },
  email = 'ada@northwind.test',
) {
  const begun = await callAs(stage, member, 'POST', '/v1/connect-sessions', {
    provider: PROVIDER,
    ...session,
  });
  if (begun.status !== 201) throw new Error(begun.text);
  const { message } = readOutcome(await authorize(stage, begun.body.url, { email }));
  const ended = await callAs(stage, member, 'POST', `/v1/connect-sessions/${message.sessionId}/complete`, {
    completionCode: message.completionCode,
  });
  if (ended.status !== 200) throw new Error(ended.text);
  return ended.body;
}

/** A proxied call: its status, and the code of the gateway's error where it made the answer. */
export async function callProxy(
  stage: Stage,
  member: Member,
  headers: Record<string, string> = {},
  path = '/crm/v3/objects/contacts?limit=1',
) {
  const answer = await fetch(proxyUrl(stage, path), {
    headers: { authorization: `Bearer ${signToken(stage, member)}`, ...headers },
  });
  await answer.arrayBuffer();
  return { status: answer.status, code: answer.headers.get('gateway-error') };
}

export const readAsKey = ({ gateway, project }: Stage, path: string) =>
  callApiOk(gateway.url, 'GET', path, { bearer: project.apiKey });
