import { Client as HubSpot } from '@hubspot/api-client';
import { Connection as Salesforce } from '@jsforce/jsforce-node';
import sharedMailchimp from '@mailchimp/mailchimp_marketing';
import sendgrid from '@sendgrid/client';
import { IntercomClient } from 'intercom-client';
import { ApiKeySession, ProfilesApi } from 'klaviyo-api';
import Mailgun from 'mailgun.js';
import zendesk from 'node-zendesk';
import { Configuration, NotesApi } from 'pipedrive/v1';
import { ServerClient } from 'postmark';
import { Resend } from 'resend';
import { gatewayFetch } from '../provider-apis/gateway-fetch.ts';
import { basic } from '../provider-apis/parts.ts';
import { bearer, TEXT, type TriedClient } from './tried-client.ts';

const EMAIL = { from: 'us@example.test', to: 'mia@example.test' };

/** Throws on refusals: the client takes a status that it does not know for success, 424 among them (docs/clients.md). */
async function refuseLoudly(sending: Promise<Response>): Promise<Response> {
  const response = await sending;
  if (!response.headers.has('gateway-error')) return response;
  throw new Error((await response.json()).message);
}

/** Clients of providers of customer relations, support and e-mail. */
export const CUSTOMERS: readonly TriedClient[] = [
  {
    client: '@hubspot/api-client',
    provider: 'hubspot',
    credentials: { accessToken: 'hubspot-token' },
    arrivesAs: 'POST api.hubapi.com/crm/v3/objects/contacts',
    credential: bearer('hubspot-token'),
    call: ({ proxyUrl, token }) =>
      new HubSpot({ accessToken: token, basePath: proxyUrl }).crm.contacts.basicApi.create({
        properties: { firstname: TEXT },
        associations: [],
      }),
    body: { properties: { firstname: TEXT } },
    answer: { status: 201, body: { id: '1', properties: { firstname: TEXT } } },
    result: { id: '1', properties: { firstname: TEXT } },
    error: 'ApiException',
  },
  {
    client: '@jsforce/jsforce-node',
    provider: 'salesforce',
    credentials: {
      accessToken: 'salesforce-token',
      variables: { instance_url: 'https://acme.my.salesforce.com' },
    },
    arrivesAs: 'POST acme.my.salesforce.com/services/data/v60.0/sobjects/Account',
    credential: bearer('salesforce-token'),
    call: ({ proxyUrl, token }) =>
      new Salesforce({ instanceUrl: proxyUrl, accessToken: token, version: '60.0' })
        .sobject('Account')
        .create({ Name: TEXT }),
    body: { Name: TEXT },
    answer: { status: 201, body: { id: '001', success: true, errors: [] } },
    result: { id: '001', success: true },
    error: 'HttpApiError',
  },
  {
    client: 'pipedrive',
    provider: 'pipedrive',
    credentials: { accessToken: 'pipedrive-token', variables: { api_domain: 'https://acme.pipedrive.com' } },
    arrivesAs: 'POST acme.pipedrive.com/api/v1/notes',
    credential: bearer('pipedrive-token'),
    call: ({ proxyUrl, token }) =>
      new NotesApi(new Configuration({ basePath: `${proxyUrl}/v1`, accessToken: token })).addNote({
        AddNoteRequest: { content: TEXT, deal_id: 1 },
      }),
    body: { content: TEXT, deal_id: 1 },
    answer: { body: { success: true, data: { id: 1, content: TEXT } } },
    result: { data: { id: 1, content: TEXT } },
    error: 'Object',
  },
  {
    client: 'intercom-client',
    provider: 'intercom',
    credentials: { accessToken: 'intercom-token', variables: { region: 'intercom' } },
    arrivesAs: 'POST api.intercom.io/tags',
    credential: bearer('intercom-token'),
    call: ({ proxyUrl, token }) =>
      new IntercomClient({ token, baseUrl: proxyUrl }).tags.create({ name: TEXT }, { maxRetries: 0 }),
    body: { name: TEXT },
    answer: { body: { type: 'tag', id: 't1', name: TEXT } },
    result: { id: 't1', name: TEXT },
    error: 'UnauthorizedError',
  },
  {
    client: 'node-zendesk',
    provider: 'zendesk',
    credentials: { accessToken: 'zendesk-token', variables: { subdomain: 'acme' } },
    arrivesAs: 'POST acme.zendesk.com/api/v2/tickets.json',
    credential: bearer('zendesk-token'),
    call: ({ proxyUrl, token }) =>
      zendesk
        .createClient({
          subdomain: 'acme',
          oauth: true,
          token,
          transportConfig: {
            transportFn: (...call: Parameters<typeof fetch>) =>
              refuseLoudly(gatewayFetch({ 'https://acme.zendesk.com': proxyUrl })(...call)),
            responseAdapter: (response: Response) => response,
          },
        })
        .tickets.create({ ticket: { subject: TEXT, comment: { body: TEXT } } }),
    body: { ticket: { subject: TEXT } },
    answer: { status: 201, body: { ticket: { id: 1, subject: TEXT } } },
    result: { result: { id: 1, subject: TEXT } },
    error: 'Error',
  },
  {
    client: '@mailchimp/mailchimp_marketing',
    provider: 'mailchimp',
    credentials: { accessToken: 'mailchimp-token', variables: { dc: 'us6' } },
    arrivesAs: 'POST us6.api.mailchimp.com/3.0/file-manager/folders',
    credential: bearer('mailchimp-token'),
    call: ({ proxyUrl, token }) => {
      const mailchimp = new sharedMailchimp.constructor();
      mailchimp.setConfig({ accessToken: token, server: 'server' });
      mailchimp.basePath = `${proxyUrl}/3.0`;
      return mailchimp.fileManager.createFolder({ name: TEXT });
    },
    body: { name: TEXT },
    answer: { body: { id: 1, name: TEXT } },
    result: { id: 1, name: TEXT },
    error: 'Error',
    textOf: ({ response }) => response.body.message,
  },
  {
    client: 'klaviyo-api',
    provider: 'klaviyo',
    credentials: { accessToken: 'klaviyo-token' },
    arrivesAs: 'POST a.klaviyo.com/api/profiles',
    credential: bearer('klaviyo-token'),
    call: ({ proxyUrl, token }) => {
      const profiles = new ProfilesApi(new ApiKeySession(token));
      profiles.basePath = proxyUrl;
      return profiles.createProfile({ data: { type: 'profile', attributes: { firstName: TEXT } } });
    },
    body: { data: { type: 'profile', attributes: { first_name: TEXT } } },
    answer: { status: 201, body: { data: { type: 'profile', id: 'p1', attributes: { first_name: TEXT } } } },
    result: { body: { data: { id: 'p1', attributes: { firstName: TEXT } } } },
    error: 'AxiosError',
    textOf: ({ response }) => response.data.message,
  },
  {
    client: 'resend',
    provider: 'resend',
    credentials: { apiKey: 're_key' },
    arrivesAs: 'POST api.resend.com/emails',
    credential: bearer('re_key'),
    call: async ({ proxyUrl, token }) => {
      const resend = new Resend(token, { baseUrl: proxyUrl });
      const { data, error } = await resend.emails.send({ ...EMAIL, subject: TEXT, text: TEXT });
      if (error !== null) throw error;
      return data;
    },
    body: { subject: TEXT, text: TEXT },
    answer: { body: { id: 'e1' } },
    result: { id: 'e1' },
    error: 'Object',
  },
  {
    client: 'postmark',
    provider: 'postmark',
    credentials: { apiKey: 'postmark-token' },
    arrivesAs: 'POST api.postmarkapp.com/email',
    credential: ['x-postmark-server-token', 'postmark-token'],
    call: ({ proxyUrl, token }) => {
      const requestHost = proxyUrl.replace(/^https?:\/\//, '');
      const email = { From: EMAIL.from, To: EMAIL.to, Subject: TEXT, TextBody: TEXT };
      return new ServerClient(token, { requestHost, useHttps: false }).sendEmail(email);
    },
    body: { Subject: TEXT, TextBody: TEXT },
    answer: { body: { ErrorCode: 0, Message: 'OK', MessageID: 'm1' } },
    result: { MessageID: 'm1' },
    error: 'InvalidAPIKeyError',
    hidesTextOf: ['token_invalid', 'connection_not_found'],
  },
  {
    client: '@sendgrid/client',
    provider: 'sendgrid',
    credentials: { apiKey: 'SG.key' },
    arrivesAs: 'POST api.sendgrid.com/v3/marketing/lists',
    credential: bearer('SG.key'),
    call: ({ proxyUrl, token }) =>
      sendgrid.request({
        baseUrl: proxyUrl,
        headers: { Authorization: `Bearer ${token}` },
        method: 'POST',
        url: '/v3/marketing/lists',
        body: { name: TEXT },
      }),
    body: { name: TEXT },
    answer: { status: 201, body: { id: 'l1' } },
    result: [{ statusCode: 201 }, { id: 'l1' }],
    error: 'ResponseError',
    textOf: ({ response }) => response.body.message,
  },
  {
    client: 'mailgun.js',
    provider: 'mailgun',
    credentials: { username: 'api', password: 'mailgun-key', variables: { region: 'api.eu' } },
    arrivesAs: 'POST api.eu.mailgun.net/v3/mail.example.test/messages',
    credential: ['authorization', basic('api', 'mailgun-key')],
    call: ({ proxyUrl, token }) =>
      new Mailgun(FormData)
        .client({ username: 'api', key: token, url: proxyUrl })
        .messages.create('mail.example.test', { ...EMAIL, subject: TEXT, text: TEXT }),
    body: { subject: TEXT, text: TEXT },
    answer: { body: { id: 'm1', message: 'Queued.' } },
    result: { id: 'm1' },
    error: 'MailgunAPIError',
    textOf: ({ details }) => details,
  },
];
