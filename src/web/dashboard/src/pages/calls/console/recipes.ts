/**
 * Lines of code for providers' own clients, pointed at the proxy, as docs/clients.md shows and tests them. `PROXY` stands
 * for the provider's address at the proxy.
 */
export type Recipe = { readonly client: string; readonly code: string };

const GATEWAY_FETCH = '// gatewayFetch: see docs/clients.md, “Clients that leave their base address”.\n';

export const RECIPES: Readonly<Record<string, Recipe>> = {
  airtable: {
    client: 'airtable',
    code: `import Airtable from 'airtable';

const airtable = new Airtable({ apiKey: userToken, endpointUrl: 'PROXY', noRetryIfRateLimited: true });`,
  },
  anthropic: {
    client: '@anthropic-ai/sdk',
    code: `import Anthropic from '@anthropic-ai/sdk';

const anthropic = new Anthropic({ apiKey: userToken, baseURL: 'PROXY' });`,
  },
  asana: {
    client: 'asana',
    code: `import asana from 'asana';

const client = new asana.ApiClient();
client.basePath = 'PROXY/api/1.0';
client.authentications.token.accessToken = userToken;`,
  },
  deepl: {
    client: 'deepl-node',
    code: `import { DeepLClient } from 'deepl-node';

const deepl = new DeepLClient(userToken, { serverUrl: 'PROXY' });`,
  },
  discord: {
    client: '@discordjs/rest',
    code: `import { REST } from '@discordjs/rest';

const discord = new REST({ api: 'PROXY/api', authPrefix: 'Bearer' }).setToken(userToken);`,
  },
  dropbox: {
    client: 'dropbox',
    code: `import { Dropbox } from 'dropbox';
${GATEWAY_FETCH}
const dropbox = new Dropbox({ accessToken: userToken, fetch: gatewayFetch('https://api.dropboxapi.com', 'PROXY') });`,
  },
  github: {
    client: '@octokit/rest',
    code: `import { Octokit } from '@octokit/rest';
${GATEWAY_FETCH}
const baseUrl = 'PROXY';
const octokit = new Octokit({
  auth: userToken,
  baseUrl,
  request: { fetch: gatewayFetch('https://api.github.com', baseUrl) },
});`,
  },
  gitlab: {
    client: '@gitbeaker/rest',
    code: `import { Gitlab } from '@gitbeaker/rest';

const gitlab = new Gitlab({ host: 'PROXY', oauthToken: userToken });`,
  },
  hubspot: {
    client: '@hubspot/api-client',
    code: `import { Client } from '@hubspot/api-client';

const hubspot = new Client({ accessToken: userToken, basePath: 'PROXY' });
const page = await hubspot.crm.contacts.basicApi.getPage(10);`,
  },
  intercom: {
    client: 'intercom-client',
    code: `import { IntercomClient } from 'intercom-client';

const intercom = new IntercomClient({ token: userToken, baseUrl: 'PROXY' });`,
  },
  jira: {
    client: 'jira.js',
    code: `import { Version3Client } from 'jira.js';

const jira = new Version3Client({ host: 'PROXY', authentication: { oauth2: { accessToken: userToken } } });`,
  },
  klaviyo: {
    client: 'klaviyo-api',
    code: `import { ApiKeySession, ProfilesApi } from 'klaviyo-api';

const profiles = new ProfilesApi(new ApiKeySession(userToken));
profiles.basePath = 'PROXY';`,
  },
  linear: {
    client: '@linear/sdk',
    code: `import { LinearClient } from '@linear/sdk';

const linear = new LinearClient({ accessToken: userToken, apiUrl: 'PROXY/graphql' });`,
  },
  mailgun: {
    client: 'mailgun.js',
    code: `import Mailgun from 'mailgun.js';

const mailgun = new Mailgun(FormData).client({ username: 'api', key: userToken, url: 'PROXY' });`,
  },
  notion: {
    client: '@notionhq/client',
    code: `import { Client } from '@notionhq/client';

const notion = new Client({ auth: userToken, baseUrl: 'PROXY' });
const users = await notion.users.list({});`,
  },
  openai: {
    client: 'openai',
    code: `import OpenAI from 'openai';

const openai = new OpenAI({ apiKey: userToken, baseURL: 'PROXY/v1' });`,
  },
  pipedrive: {
    client: 'pipedrive',
    code: `import { Configuration, NotesApi } from 'pipedrive/v1';

const notes = new NotesApi(new Configuration({ basePath: 'PROXY/v1', accessToken: userToken }));`,
  },
  postmark: {
    client: 'postmark',
    code: `import { ServerClient } from 'postmark';

const postmark = new ServerClient(userToken, { requestHost: 'PROXY'.replace('https://', '') });`,
  },
  resend: {
    client: 'resend',
    code: `import { Resend } from 'resend';

const resend = new Resend(userToken, { baseUrl: 'PROXY' });`,
  },
  slack: {
    client: '@slack/web-api',
    code: `import { WebClient } from '@slack/web-api';
${GATEWAY_FETCH}
const slack = new WebClient(userToken, {
  slackApiUrl: 'PROXY/',
  fetch: gatewayFetch('https://slack.com/api', 'PROXY'),
  retryConfig: { retries: 2, minTimeout: 500 },
});`,
  },
};

/** Paths to try first, by provider; beside the account call of the catalog and what this operator called before. */
export const KNOWN_PATHS: Readonly<Record<string, readonly string[]>> = {
  airtable: ['/v0/meta/bases', '/v0/meta/whoami'],
  anthropic: ['/v1/models'],
  asana: ['/api/1.0/users/me', '/api/1.0/workspaces', '/api/1.0/projects'],
  'demo-crm': ['/crm/v3/objects/contacts', '/crm/v3/objects/contacts/search'],
  discord: ['/api/v10/users/@me', '/api/v10/users/@me/guilds'],
  github: ['/user', '/user/repos', '/user/orgs', '/notifications', '/search/repositories'],
  gitlab: ['/api/v4/user', '/api/v4/projects', '/api/v4/groups'],
  hubspot: [
    '/crm/v3/objects/contacts',
    '/crm/v3/objects/companies',
    '/crm/v3/objects/deals',
    '/crm/v3/objects/contacts/search',
    '/crm/v3/owners',
    '/crm/v3/properties/contacts',
  ],
  intercom: ['/me', '/contacts', '/conversations'],
  jira: ['/rest/api/3/myself', '/rest/api/3/project/search', '/rest/api/3/search/jql'],
  linear: ['/graphql'],
  notion: ['/v1/users/me', '/v1/users', '/v1/search'],
  openai: ['/v1/models'],
  pipedrive: ['/v1/users/me', '/v1/deals', '/v1/persons'],
  postmark: ['/server', '/messages/outbound', '/stats/outbound'],
  slack: ['/auth.test', '/conversations.list', '/users.list', '/chat.postMessage'],
  stripe: ['/v1/account', '/v1/customers', '/v1/charges'],
};
