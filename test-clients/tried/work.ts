import { REST } from '@discordjs/rest';
import { Gitlab } from '@gitbeaker/rest';
import { calendar, auth as calendarAuth } from '@googleapis/calendar';
import { drive, auth as driveAuth } from '@googleapis/drive';
import { gmail, auth as gmailAuth } from '@googleapis/gmail';
import { LinearClient } from '@linear/sdk';
import { AuthenticationHandler, type Context, Client as Graph } from '@microsoft/microsoft-graph-client';
import { Client as Notion, LogLevel as NotionLogLevel } from '@notionhq/client';
import { Octokit } from '@octokit/rest';
import { LogLevel, WebClient } from '@slack/web-api';
import Airtable from 'airtable';
import asana from 'asana';
import { Dropbox } from 'dropbox';
import { Version3Client } from 'jira.js';
import twilio from 'twilio';
import { gatewayFetch } from '../provider-apis/gateway-fetch.ts';
import { basic } from '../provider-apis/parts.ts';
import { type Access, bearer, TEXT, type TriedClient } from './tried-client.ts';

const CLOUD = '1324a887-45db-1bf4-1e99-ef0ff456d421';
const ACCOUNT = `AC${'0'.repeat(32)}`;
const noLog = () => {};

type GoogleCredentials = { setCredentials: (credentials: { access_token: string }) => void };

/** How every package of `@googleapis` is pointed at the proxy; each brings a class for its credentials along. */
function googleOptions<T extends GoogleCredentials>(auth: T, host: string, { proxyUrl, token }: Access) {
  auth.setCredentials({ access_token: token });
  return { auth, fetchImplementation: gatewayFetch(`https://${host}`, proxyUrl) };
}

/** Clients of providers of work together: files, issues, messages, calendars. */
export const WORK: readonly TriedClient[] = [
  {
    client: '@octokit/rest',
    provider: 'github',
    credentials: { accessToken: 'gho_token' },
    arrivesAs: 'POST api.github.com/repos/acme/site/issues',
    credential: bearer('gho_token'),
    call: ({ proxyUrl, token }) =>
      new Octokit({
        auth: token,
        baseUrl: proxyUrl,
        request: { fetch: gatewayFetch('https://api.github.com', proxyUrl) },
        log: { debug: noLog, info: noLog, warn: noLog, error: noLog },
      }).rest.issues.create({ owner: 'acme', repo: 'site', title: TEXT }),
    body: { title: TEXT },
    answer: { status: 201, body: { number: 1, title: TEXT } },
    result: { data: { number: 1, title: TEXT } },
    error: 'RequestError',
  },
  {
    client: '@gitbeaker/rest',
    provider: 'gitlab',
    credentials: { accessToken: 'gitlab-token' },
    arrivesAs: 'POST gitlab.com/api/v4/projects/1/labels',
    credential: bearer('gitlab-token'),
    call: ({ proxyUrl, token }) =>
      new Gitlab({ host: proxyUrl, oauthToken: token }).ProjectLabels.create(1, TEXT, '#ffffff'),
    body: { name: TEXT },
    answer: { status: 201, body: { id: 1, name: TEXT } },
    result: { id: 1, name: TEXT },
    error: 'GitbeakerRequestError',
  },
  {
    client: 'jira.js',
    provider: 'jira',
    credentials: { accessToken: 'jira-token', variables: { cloudId: CLOUD } },
    arrivesAs: `POST api.atlassian.com/ex/jira/${CLOUD}/rest/api/3/filter`,
    credential: bearer('jira-token'),
    call: ({ proxyUrl, token }) =>
      new Version3Client({
        host: proxyUrl,
        authentication: { oauth2: { accessToken: token } },
      }).filters.createFilter({ name: TEXT }),
    body: { name: TEXT },
    answer: { body: { id: '1', name: TEXT } },
    result: { id: '1', name: TEXT },
    error: 'HttpException',
    textOf: ({ response }) => response.data.message,
  },
  {
    client: '@linear/sdk',
    provider: 'linear',
    credentials: { accessToken: 'linear-token' },
    arrivesAs: 'POST api.linear.app/graphql',
    credential: bearer('linear-token'),
    call: ({ proxyUrl, token }) =>
      new LinearClient({ accessToken: token, apiUrl: `${proxyUrl}/graphql` }).createIssue({
        teamId: 't1',
        title: TEXT,
      }),
    body: { variables: { input: { teamId: 't1', title: TEXT } } },
    answer: { body: { data: { issueCreate: { success: true, lastSyncId: 1, issue: { id: 'i1' } } } } },
    result: { success: true },
    error: 'AuthenticationLinearError',
    textOf: ({ raw }) => raw.response.message,
  },
  {
    client: 'asana',
    provider: 'asana',
    credentials: { accessToken: 'asana-token' },
    arrivesAs: 'POST app.asana.com/api/1.0/tasks',
    credential: bearer('asana-token'),
    call: ({ proxyUrl, token }) => {
      const client = new asana.ApiClient();
      client.basePath = `${proxyUrl}/api/1.0`;
      client.authentications.token!.accessToken = token;
      return new asana.TasksApi(client).createTask({ data: { name: TEXT } }, {});
    },
    body: { data: { name: TEXT } },
    answer: { status: 201, body: { data: { gid: '1', name: TEXT } } },
    result: { data: { gid: '1', name: TEXT } },
    error: 'Error',
    textOf: ({ response }) => response.body.message,
  },
  {
    client: 'airtable',
    provider: 'airtable',
    credentials: { accessToken: 'airtable-token' },
    arrivesAs: 'POST api.airtable.com/v0/app1/Tasks/',
    credential: bearer('airtable-token'),
    call: ({ proxyUrl, token }) =>
      new Airtable({ apiKey: token, endpointUrl: proxyUrl }).base('app1')('Tasks').create({ Name: TEXT }),
    body: { fields: { Name: TEXT } },
    answer: { body: { id: 'rec1', fields: { Name: TEXT } } },
    result: { id: 'rec1', fields: { Name: TEXT } },
    error: 'AirtableError',
    hidesText: true,
  },
  {
    client: '@notionhq/client',
    provider: 'notion',
    credentials: { accessToken: 'ntn_token' },
    arrivesAs: 'POST api.notion.com/v1/comments',
    credential: bearer('ntn_token'),
    call: ({ proxyUrl, token }) =>
      new Notion({ auth: token, baseUrl: proxyUrl, logLevel: NotionLogLevel.ERROR }).comments.create({
        parent: { page_id: 'p1' },
        rich_text: [{ text: { content: TEXT } }],
      }),
    body: { rich_text: [{ text: { content: TEXT } }] },
    answer: { body: { object: 'comment', id: 'c1' } },
    result: { id: 'c1' },
    error: 'UnknownHTTPResponseError',
    textOf: ({ body }) => body,
  },
  {
    client: 'dropbox',
    provider: 'dropbox',
    credentials: { accessToken: 'dropbox-token' },
    arrivesAs: 'POST api.dropboxapi.com/2/files/create_folder_v2',
    credential: bearer('dropbox-token'),
    call: ({ proxyUrl, token }) =>
      new Dropbox({
        accessToken: token,
        fetch: gatewayFetch('https://api.dropboxapi.com', proxyUrl),
      }).filesCreateFolderV2({ path: `/${TEXT}` }),
    body: { path: `/${TEXT}` },
    answer: { body: { metadata: { id: 'id:1', name: TEXT } } },
    result: { result: { metadata: { id: 'id:1', name: TEXT } } },
    error: 'DropboxResponseError',
    textOf: ({ error }) => error.message,
  },
  {
    client: '@googleapis/calendar',
    provider: 'google-calendar',
    credentials: { accessToken: 'ya29.calendar' },
    arrivesAs: 'POST www.googleapis.com/calendar/v3/calendars/primary/events',
    credential: bearer('ya29.calendar'),
    call: (access) =>
      calendar({
        version: 'v3',
        ...googleOptions(new calendarAuth.OAuth2(), 'www.googleapis.com', access),
      }).events.insert({
        calendarId: 'primary',
        requestBody: { summary: TEXT },
      }),
    body: { summary: TEXT },
    answer: { body: { id: 'e1', summary: TEXT } },
    result: { data: { id: 'e1', summary: TEXT } },
    error: 'GaxiosError',
  },
  {
    client: '@googleapis/drive',
    provider: 'google-drive',
    credentials: { accessToken: 'ya29.drive' },
    arrivesAs: 'POST www.googleapis.com/drive/v3/files',
    credential: bearer('ya29.drive'),
    call: (access) =>
      drive({
        version: 'v3',
        ...googleOptions(new driveAuth.OAuth2(), 'www.googleapis.com', access),
      }).files.create({
        requestBody: { name: TEXT },
      }),
    body: { name: TEXT },
    answer: { body: { id: 'f1', name: TEXT } },
    result: { data: { id: 'f1', name: TEXT } },
    error: 'GaxiosError',
  },
  {
    client: '@googleapis/gmail',
    provider: 'gmail',
    credentials: { accessToken: 'ya29.gmail' },
    arrivesAs: 'POST gmail.googleapis.com/gmail/v1/users/me/labels',
    credential: bearer('ya29.gmail'),
    call: (access) =>
      gmail({
        version: 'v1',
        ...googleOptions(new gmailAuth.OAuth2(), 'gmail.googleapis.com', access),
      }).users.labels.create({
        userId: 'me',
        requestBody: { name: TEXT },
      }),
    body: { name: TEXT },
    answer: { body: { id: 'l1', name: TEXT } },
    result: { data: { id: 'l1', name: TEXT } },
    error: 'GaxiosError',
  },
  {
    client: '@microsoft/microsoft-graph-client',
    provider: 'outlook',
    credentials: { accessToken: 'graph-token' },
    arrivesAs: 'POST graph.microsoft.com/v1.0/me/events',
    credential: bearer('graph-token'),
    call: ({ proxyUrl, token }) => {
      const send = gatewayFetch('https://graph.microsoft.com', proxyUrl);
      const middleware = new AuthenticationHandler({ getAccessToken: async () => token });
      middleware.setNext({
        execute: async (context: Context) => {
          context.response = await send(context.request, context.options);
        },
      });
      return Graph.initWithMiddleware({ middleware }).api('/me/events').post({ subject: TEXT });
    },
    body: { subject: TEXT },
    answer: { status: 201, body: { id: 'e1', subject: TEXT } },
    result: { id: 'e1', subject: TEXT },
    error: 'GraphError',
  },
  {
    client: '@slack/web-api',
    provider: 'slack',
    credentials: { accessToken: 'xoxb-token' },
    arrivesAs: 'POST slack.com/api/chat.postMessage',
    credential: bearer('xoxb-token'),
    call: ({ proxyUrl, token }) =>
      new WebClient(token, {
        slackApiUrl: `${proxyUrl}/`,
        fetch: gatewayFetch('https://slack.com/api', proxyUrl),
        retryConfig: { retries: 0 },
        logLevel: LogLevel.ERROR,
      }).chat.postMessage({ channel: 'C1', text: TEXT }),
    body: { channel: 'C1', text: TEXT },
    answer: { body: { ok: true, ts: '1.2', message: { text: TEXT } } },
    result: { ok: true, message: { text: TEXT } },
    error: 'WebAPIHTTPError',
    textOf: ({ body }) => Object(body).message,
  },
  {
    client: '@discordjs/rest',
    provider: 'discord',
    credentials: { accessToken: 'discord-token' },
    arrivesAs: 'POST discord.com/api/v10/channels/1/messages',
    credential: bearer('discord-token'),
    call: ({ proxyUrl, token }) =>
      new REST({ api: `${proxyUrl}/api`, authPrefix: 'Bearer', retries: 0 })
        .setToken(token)
        .post('/channels/1/messages', { body: { content: TEXT } }),
    body: { content: TEXT },
    answer: { body: { id: 'm1', content: TEXT } },
    result: { id: 'm1', content: TEXT },
    error: 'DiscordAPIError',
  },
  {
    client: 'twilio',
    provider: 'twilio',
    credentials: { username: 'SKkey', password: 'twilio-secret', variables: { accountSid: ACCOUNT } },
    arrivesAs: `POST api.twilio.com/2010-04-01/Accounts/${ACCOUNT}/Messages.json`,
    credential: ['authorization', basic('SKkey', 'twilio-secret')],
    call: ({ proxyUrl, token }) => {
      class GatewayRequests extends twilio.RequestClient {
        override request<T>(options: Parameters<typeof twilio.RequestClient.prototype.request<T>>[0]) {
          options.uri = options.uri.replace('https://api.twilio.com', proxyUrl);
          return super.request(options);
        }
      }
      const httpClient = new GatewayRequests();
      const client = twilio('SKkey', token, { accountSid: ACCOUNT, httpClient });
      return client.messages.create({ to: '+15550100', from: '+15550101', body: TEXT });
    },
    body: { To: '+15550100', Body: TEXT },
    answer: { status: 201, body: { sid: 'SM1', body: TEXT } },
    result: { sid: 'SM1', body: TEXT },
    error: 'RestException',
  },
];
