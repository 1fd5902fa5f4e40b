import { createHash, randomBytes } from 'node:crypto';
import { type AgentStage, startAgentStage } from './agent-stage.ts';
import { type ClientDocuments, startClientDocuments } from './client-documents.ts';
import { callApiOk, type Gateway, type Project } from './gateway.ts';
import { createVisitor, readLocation, type Visitor } from './visitor.ts';

export const APPLICATION_PAGE = 'https://app.example.com/assistants?from=gateway';

export type SignInStage = AgentStage & {
  readonly documents: ClientDocuments;
  /** Signs a user in for a client of its own, and fetches its tokens. */
  signInAs(
    userId: string,
    options?: { readonly choice?: Record<string, string>; readonly claims?: Record<string, unknown> },
  ): Promise<SignedIn>;
};

export type SignedIn = {
  readonly clientId: string;
  readonly request: ReturnType<typeof createRequest>;
  readonly callback: URL;
  readonly tokens: { readonly access_token: string; readonly refresh_token: string };
};

/** The stage of an agent whose project lets people sign in by a page of its application. */
export async function startSignInStage(
  options: Parameters<typeof startAgentStage>[0] = {},
): Promise<SignInStage> {
  const documents = await startClientDocuments();
  const stage = await startAgentStage(options);
  const { gateway, project } = stage;
  await callApiOk(gateway.url, 'PATCH', `/v1/projects/${project.id}`, {
    bearer: project.apiKey,
    body: { agentSignIn: { page: APPLICATION_PAGE } },
  });
  return {
    ...stage,
    documents,
    async signInAs(userId, { choice, claims } = {}) {
      const clientId = documents.add();
      const request = createRequest(gateway, project, clientId);
      const callback = await signIn(createVisitor(), request.url, signFor(project, userId, claims), choice);
      const { status, body } = await exchangeCode(gateway, clientId, request, callback);
      if (status !== 200) throw new Error(`no tokens: ${JSON.stringify(body)}`);
      return { clientId, request, callback, tokens: body };
    },
    async close() {
      await stage.close();
      await documents.close();
    },
  };
}

/** An authorization request as clients make it, with the verifier that its code needs. */
export function createRequest(
  gateway: Pick<Gateway, 'url'>,
  project: Pick<Project, 'id'>,
  clientId: string,
  changes: Record<string, string | undefined> = {},
) {
  const verifier = randomBytes(32).toString('base64url');
  const params: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: 'http://127.0.0.1:33418/callback',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'of-the-client',
    resource: `${gateway.url}/projects/${project.id}/mcp`,
    ...changes,
  };
  const url = new URL('/agents/authorize', gateway.url);
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) url.searchParams.set(name, value);
  return { url: url.href, verifier, redirectUri: params.redirect_uri ?? '', resource: params.resource ?? '' };
}

/** A consent of the user, for a client that has signed in and gone again: its id. */
export async function giveConsent(
  gateway: Pick<Gateway, 'url'>,
  project: Project,
  userId: string,
): Promise<string> {
  const documents = await startClientDocuments();
  try {
    const body = { agentSignIn: { page: APPLICATION_PAGE } };
    await callApiOk(gateway.url, 'PATCH', `/v1/projects/${project.id}`, { bearer: project.apiKey, body });
    const { url } = createRequest(gateway, project, documents.add());
    await signIn(createVisitor(), url, signFor(project, userId));
    const bearer = project.userToken(userId);
    const { consents } = await callApiOk(gateway.url, 'GET', '/v1/agent-consents', { bearer });
    return String(consents[0].id);
  } finally {
    await documents.close();
  }
}

/** What the application's page does with the browser that comes to it. */
export type SignInPerson = (sent: { readonly state: string; readonly returnTo: string }) => string;

/** From the authorization request to the page of consent. */
export async function goToConsent(visitor: Visitor, url: string, signTokenFor: SignInPerson) {
  const interaction = await readLocation(await visitor.get(url));
  const page = new URL(await readLocation(await visitor.get(interaction)));
  const state = page.searchParams.get('state') ?? '';
  const returnTo = page.searchParams.get('return_to') ?? '';
  const token = signTokenFor({ state, returnTo });
  const back = await readLocation(await visitor.post(returnTo, { state, token }, { isFromOtherSite: true }));
  const consent = await visitor.get(await readLocation(await visitor.get(back)));
  const html = await consent.text();
  const formToken = /name="formToken" value="([^"]+)"/.exec(html)?.[1] ?? '';
  return { interaction, html, formToken, status: consent.status, headers: consent.headers };
}

/** Everything until the client has its code: the address that the browser is sent to. */
export async function signIn(
  visitor: Visitor,
  url: string,
  signTokenFor: SignInPerson,
  choice: Record<string, string> = {},
): Promise<URL> {
  const { interaction, formToken } = await goToConsent(visitor, url, signTokenFor);
  const decided = await visitor.post(interaction, {
    formToken,
    decision: 'allow',
    access: 'read',
    ...choice,
  });
  return new URL(await readLocation(await visitor.get(await readLocation(decided))));
}

export async function askForTokens(gateway: Pick<Gateway, 'url'>, fields: Record<string, string>) {
  const response = await fetch(`${gateway.url}/agents/token`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

export function exchangeCode(
  gateway: Pick<Gateway, 'url'>,
  clientId: string,
  request: Pick<ReturnType<typeof createRequest>, 'verifier' | 'redirectUri' | 'resource'>,
  callback: URL,
  changes: Record<string, string> = {},
) {
  return askForTokens(gateway, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: callback.searchParams.get('code') ?? '',
    code_verifier: request.verifier,
    redirect_uri: request.redirectUri,
    resource: request.resource,
    ...changes,
  });
}

/** A user token for this very sign-in, as the application makes it. */
export function signFor(
  project: Project,
  userId: string,
  claims: Record<string, unknown> = {},
): SignInPerson {
  return ({ state }) => project.userToken(userId, { claims: { ...claims, nonce: state } });
}
