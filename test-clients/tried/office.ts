import { calendar, auth as calendarAuth } from '@googleapis/calendar';
import { drive, auth as driveAuth } from '@googleapis/drive';
import { gmail, auth as gmailAuth } from '@googleapis/gmail';
import { AuthenticationHandler, type Context, Client as Graph } from '@microsoft/microsoft-graph-client';
import { LogLevel, Client as Notion } from '@notionhq/client';
import Airtable from 'airtable';
import { BoxClient, BoxDeveloperTokenAuth } from 'box-node-sdk';
import { Dropbox } from 'dropbox';
import { gatewayFetch } from '../provider-apis/gateway-fetch.ts';
import { type Access, bearer, TEXT, type TriedClient } from './tried-client.ts';

type GoogleCredentials = { setCredentials: (credentials: { access_token: string }) => void };

/** How every package of `@googleapis` is pointed at the proxy; each brings a class for its credentials along. */
function googleOptions<T extends GoogleCredentials>(auth: T, host: string, { proxyUrl, token }: Access) {
  auth.setCredentials({ access_token: token });
  return { auth, fetchImplementation: gatewayFetch({ [`https://${host}`]: proxyUrl }) };
}

/** Clients of providers of files, documents, tables, calendars and mail boxes. */
export const OFFICE: readonly TriedClient[] = [
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
      const send = gatewayFetch({ 'https://graph.microsoft.com': proxyUrl });
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
    client: '@notionhq/client',
    provider: 'notion',
    credentials: { accessToken: 'ntn_token' },
    arrivesAs: 'POST api.notion.com/v1/comments',
    credential: bearer('ntn_token'),
    call: ({ proxyUrl, token }) =>
      new Notion({ auth: token, baseUrl: proxyUrl, logLevel: LogLevel.ERROR }).comments.create({
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
    hidesTextOf: ['token_invalid'],
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
        fetch: gatewayFetch({ 'https://api.dropboxapi.com': proxyUrl }),
      }).filesCreateFolderV2({ path: `/${TEXT}` }),
    body: { path: `/${TEXT}` },
    answer: { body: { metadata: { id: 'id:1', name: TEXT } } },
    result: { result: { metadata: { id: 'id:1', name: TEXT } } },
    error: 'DropboxResponseError',
    textOf: ({ error }) => error.message,
  },
  {
    client: 'box-node-sdk',
    provider: 'box',
    credentials: { accessToken: 'box-token' },
    arrivesAs: 'POST api.box.com/2.0/folders',
    credential: bearer('box-token'),
    call: ({ proxyUrl, token }) =>
      new BoxClient({ auth: new BoxDeveloperTokenAuth({ token }) })
        .withCustomBaseUrls({ baseUrl: proxyUrl, uploadUrl: proxyUrl, oauth2Url: proxyUrl })
        .folders.createFolder({ name: TEXT, parent: { id: '0' } }),
    body: { name: TEXT, parent: { id: '0' } },
    answer: { status: 201, body: { id: '1', type: 'folder', name: TEXT } },
    result: { id: '1', name: TEXT },
    error: 'BoxSdkError',
    hidesTextOf: ['token_invalid'],
  },
];
