import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listen } from '../support/listen.ts';

export type SeenCall = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly form: URLSearchParams;
};

export type ScriptedAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
};

export type ScriptedProvider = {
  readonly url: string;
  /** Every call of the token endpoint, oldest first. */
  readonly tokenCalls: SeenCall[];
  /** Tokens that the revocation endpoint got, oldest first. */
  readonly revoked: string[];
  /** Calls of the account address and of the API, oldest first. */
  readonly apiCalls: SeenCall[];
  /** What the token endpoint answers from now on; it may wait, to keep an exchange under way. */
  answerToken: (call: SeenCall) => ScriptedAnswer | Promise<ScriptedAnswer>;
  /** What an API call is answered with from now on; undefined: as ever. */
  answerApi: (call: SeenCall) => ScriptedAnswer | undefined;
  /** Status of the revocation endpoint's answers. */
  revocationStatus: number;
  /** Says whether a credential is good, to the account call. */
  accepts: (call: SeenCall) => boolean | ScriptedAnswer | 'reset';
  readonly close: () => Promise<void>;
};

let issued = 0;

/** A token answer as RFC 6749 5.1 has it, of an account; every one has tokens of its own. */
export function answerTokens(accountId: string, more: Record<string, unknown> = {}): ScriptedAnswer {
  issued += 1;
  const body = {
    access_token: `access-${issued}`,
    refresh_token: `refresh-${issued}`,
    token_type: 'Bearer',
    expires_in: 3600,
    account_id: accountId,
    account_name: `${accountId}.test`,
    ...more,
  };
  return { body };
}

/** A provider that answers what the test says and remembers what it was asked; people agree without a page. */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const provider: ScriptedProvider = {
    url: `http://127.0.0.1:${await listen(server)}`,
    tokenCalls: [],
    revoked: [],
    apiCalls: [],
    answerToken: () => answerTokens('north'),
    answerApi: () => undefined,
    revocationStatus: 200,
    accepts: () => true,
    close: () => closeServer(server),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const { method = '', headers } = request;
    const call = { method, path, headers, form: new URLSearchParams(await text(request)) };
    if (path === '/token') {
      provider.tokenCalls.push(call);
      return send(response, await provider.answerToken(call));
    }
    if (path === '/revoke') {
      provider.revoked.push(call.form.get('token') ?? '');
      return send(response, { status: provider.revocationStatus, body: {} });
    }
    provider.apiCalls.push(call);
    const answered = provider.accepts(call);
    if (answered === 'reset') return void request.socket.destroy();
    if (typeof answered === 'object') return send(response, answered);
    if (!answered) return send(response, { status: 401, body: { error: 'no' } });
    const scripted = provider.answerApi(call);
    if (scripted !== undefined) return send(response, scripted);
    send(response, { body: { id: 'key-account', name: 'Key Account' } });
  }

  return provider;
}

function send(response: ServerResponse, { status = 200, headers, body }: ScriptedAnswer): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** The catalog files of one scripted provider in several guises, by id. */
export function scriptedProviderFiles(url: string): Record<string, string> {
  const oauth = (id: string, more: string) => `id: ${id}
name: Provider ${id}
category: crm
auth: oauth2
tokenUrl: ${url}/token
revocationUrl: ${url}/revoke
tokenEndpointAuth: client_secret_post
account:
  id: { from: token-response, path: account_id }
  name: { from: token-response, path: account_name }
${more}`;
  const plain = `authorizationUrl: ${url}/authorize\napiBaseUrl: ${url}/api\n`;
  const account = `account:
  id: { from: request, path: id }
  name: { from: request, path: name }
  request: { url: ${url}/account }
`;
  return {
    scripted: oauth(
      'scripted',
      `${plain}issuer: ${url}
optionalScopeParameter: optional_scope
authorizationParams: { access_type: offline, prompt: consent }
`,
    ),
    other: oauth('other', plain),
    // What a revocation ends beside the token that it names, as at Google, at GitHub and at Slack.
    'ends-grant': oauth('ends-grant', `${plain}revocation: { ends: grant }\n`),
    'ends-authorization': oauth(
      'ends-authorization',
      `${plain}revocation: { ends: grant, token: access_token }\n`,
    ),
    'ends-workspace': oauth(
      'ends-workspace',
      `${plain}revocation: { ends: workspace, token: access_token }\n`,
    ),
    unproven: oauth('unproven', `${plain}pkce: false\n`),
    // The address of its page is opened by a browser only, so that it needs to lead nowhere.
    tenant: oauth(
      'tenant',
      `authorizationUrl: http://{subdomain}.tenants.test/authorize
apiBaseUrl: ${url}/api/{subdomain}
variables:
  subdomain: { from: user, title: Subdomain, description: The first part of your address, example: acme }
`,
    ),
    keyed: `id: keyed
name: Provider keyed
auth: api-key
apiBaseUrl: ${url}/api
apiKey: { in: header, name: X-Api-Key, template: 'Key {apiKey}' }
credentialHint: It begins with key-.
${account}`,
    'keyed-tenant': `id: keyed-tenant
name: Provider keyed-tenant
auth: api-key
apiBaseUrl: ${url}/api/{workspace}
apiKey: { in: query, name: api_key, template: '{apiKey}' }
variables:
  workspace: { from: user, title: Workspace, pattern: '[a-z]{2,20}' }
${account}`,
    machine: `id: machine
name: Provider machine
auth: oauth2-client-credentials
tokenUrl: ${url}/token
tokenEndpointAuth: client_secret_basic
apiBaseUrl: ${url}/api/{workspace}
variables:
  workspace: { from: user, title: Workspace, pattern: '[a-z]{2,20}' }
account:
  id: { from: token-response, path: account_id }
`,
    // Answers with a signed POST that names its issuer and calls the code otherwise.
    signed: oauth(
      'signed',
      `${plain}issuer: ${url}
issuerAlwaysSent: true
responseMode: form_post
callback: { codeParameter: auth_code, signature: { parameter: hmac }, mustMatch: { shop: blue.example } }
`,
    ),
    renewed: oauth(
      'renewed',
      `${plain}refreshWith: access_token
refreshParams: { grant_type: renew, token: '{accessToken}' }
`,
    ),
    sealed: `id: sealed
name: Provider sealed
auth: api-key
apiBaseUrl: ${url}/api
apiKey: { in: header, name: X-Api-Key, template: '{apiKey}' }
apiHeaders: { X-Developer: '{developerToken}', X-App: '{appKey}' }
apiQuery: { client: '{clientId}', region: '{region}' }
variables:
  developerToken: { from: integration, secret: true, title: Developer token }
  region: { from: integration, title: Region }
  appKey: { from: user, secret: true, title: Application key }
`,
    // One grant reaches several sites; the site is the account.
    sites: `id: sites
name: Provider sites
auth: oauth2
authorizationUrl: ${url}/authorize
tokenUrl: ${url}/token
revocationUrl: ${url}/revoke
apiBaseUrl: ${url}/api/{siteId}
apiHeaders: { X-Region: '{region}' }
variables:
  siteId: { from: tenant, path: id, pattern: '[a-z0-9-]{1,40}' }
  region: { from: tenant, path: place.region }
tenants:
  kind: site
  request: { url: ${url}/sites }
  paging: { by: token, path: next, parameter: cursor }
  items: list
  id: id
  name: title
  detail: place.address
  where:
    - { path: scopes, matches: 'read:.*' }
    - { path: state, not: [closed] }
`,
    // The user is the account, and calls name the team themselves.
    teams: oauth(
      'teams',
      `${plain}tenants:
  kind: workspace
  asked: false
  request: { url: ${url}/teams }
  id: id
  name: name
`,
    ),
    basic: `id: basic
name: Provider basic
auth: basic
apiBaseUrl: ${url}/api
${account}`,
  };
}
