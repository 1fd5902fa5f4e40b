import { Connection } from '@jsforce/jsforce-node';
import { BoxClient, BoxDeveloperTokenAuth } from 'box-node-sdk';
import { Dropbox } from 'dropbox';
import Stripe from 'stripe';
import twilio from 'twilio';
import { gatewayFetch } from './provider-apis/gateway-fetch.ts';
import { authorizedBy, basic } from './provider-apis/parts.ts';
import type { ApiAnswer, ApiCall, ProviderApi } from './provider-apis/server.ts';
import { startClientStage, type TriedProvider } from './provider-apis/stage.ts';

const ACCOUNT = `AC${'0'.repeat(32)}`;
const SERVICE = `VA${'0'.repeat(32)}`;

function api(
  host: string,
  authorization: string,
  routes: Record<string, (call: ApiCall) => ApiAnswer>,
): ProviderApi {
  const unauthorized = { status: 401, body: { error: 'the provider refuses this credential' } };
  const notFound = { status: 404, body: { error: 'the provider has no such path' } };
  return { host, isAuthorized: authorizedBy(authorization), unauthorized, notFound, routes };
}

const box: TriedProvider = {
  id: 'box',
  credentials: { accessToken: 'box-token' },
  apisAt: () => [
    api('upload.box.com', 'Bearer box-token', {
      'POST /2.0/files/content': () => ({
        status: 201,
        body: { total_count: 1, entries: [{ id: '7', type: 'file', name: 'may.txt' }] },
      }),
    }),
  ],
};

const dropbox: TriedProvider = {
  id: 'dropbox',
  credentials: { accessToken: 'dropbox-token' },
  apisAt: () => [
    api('content.dropboxapi.com', 'Bearer dropbox-token', {
      'POST /2/files/upload': (call) => ({ body: { id: 'id:1', name: 'may.txt', size: call.body.length } }),
      'POST /2/files/download': () => ({
        headers: { 'dropbox-api-result': JSON.stringify({ id: 'id:1', name: 'may.txt' }) },
        body: 'what is in it',
      }),
    }),
  ],
};

const stripe: TriedProvider = {
  id: 'stripe-api-key',
  credentials: { apiKey: 'sk_test_stripe' },
  apisAt: () => [
    api('files.stripe.com', 'Bearer sk_test_stripe', {
      'POST /v1/files': () => ({ body: { id: 'file_1', object: 'file', purpose: 'dispute_evidence' } }),
    }),
  ],
};

const verify: TriedProvider = {
  id: 'twilio',
  credentials: { username: 'SKkey', password: 'twilio-secret', variables: { accountSid: ACCOUNT } },
  apisAt: () => [
    api('verify.twilio.com', basic('SKkey', 'twilio-secret'), {
      [`POST /v2/Services/${SERVICE}/Verifications`]: () => ({
        status: 201,
        body: { sid: 'VE1', status: 'pending' },
      }),
    }),
  ],
};

const salesforce: TriedProvider = {
  id: 'salesforce',
  credentials: {
    accessToken: 'salesforce-token',
    variables: { instance_url: 'https://acme.my.salesforce.com' },
  },
  apisAt: () => [
    api('acme.my.salesforce.com', 'Bearer salesforce-token', {
      'POST /services/data/v60.0/jobs/query': () => ({ body: { id: '750', state: 'UploadComplete' } }),
      'GET /services/data/v60.0/jobs/query/750/results': () => ({
        headers: { 'content-type': 'text/csv' },
        body: 'Id,Name\n1,Acme\n',
      }),
    }),
  ],
};

const stage = await startClientStage([box, dropbox, stripe, verify, salesforce]);
const { proxyUrl, userToken } = stage;

afterAll(stage.close);
afterEach(() => expect(stage.apis.strayTokens).toEqual([]));

describe('further hosts of a provider, by its own unmodified client', () => {
  it('take the files that Box’s client uploads', async () => {
    const client = new BoxClient({
      auth: new BoxDeveloperTokenAuth({ token: userToken }),
    }).withCustomBaseUrls({
      baseUrl: proxyUrl('box'),
      uploadUrl: proxyUrl('box~uploads'),
      oauth2Url: proxyUrl('box'),
    });
    const { entries } = await client.uploads.uploadFile({
      attributes: { name: 'may.txt', parent: { id: '0' } },
      file: new Blob(['what is in it']).stream(),
    } as unknown as Parameters<typeof client.uploads.uploadFile>[0]);
    expect(entries?.[0]).toMatchObject({ id: '7' });
  });

  it('take and give the files of Dropbox’s client', async () => {
    const send = gatewayFetch({
      'https://api.dropboxapi.com': proxyUrl('dropbox'),
      'https://content.dropboxapi.com': proxyUrl('dropbox~content'),
    });
    const client = new Dropbox({
      accessToken: userToken,
      fetch: async (url: string, init: RequestInit) => {
        const response = await send(url, init);
        return Object.assign(response, { buffer: async () => Buffer.from(await response.arrayBuffer()) });
      },
    });
    const uploaded = await client.filesUpload({ path: '/may.txt', contents: 'what is in it' });
    expect(uploaded.result).toMatchObject({ size: 13 });
    const { result } = await client.filesDownload({ path: '/may.txt' });
    expect(Object(result).fileBinary.toString()).toBe('what is in it');
  });

  it('take the files that Stripe’s client uploads', async () => {
    const send = gatewayFetch({
      'https://api.stripe.com': proxyUrl('stripe-api-key'),
      'https://files.stripe.com': proxyUrl('stripe-api-key~files'),
    });
    const httpClient = Stripe.createFetchHttpClient(send);
    const client = new Stripe(userToken, { httpClient, maxNetworkRetries: 0, telemetry: false });
    const file = await client.files.create({
      purpose: 'dispute_evidence',
      file: { data: Buffer.from('evidence'), name: 'may.txt', type: 'text/plain' },
    });
    expect(file.id).toBe('file_1');
  });

  it('take the calls of another of Twilio’s products', async () => {
    const hosts: Readonly<Record<string, string>> = {
      'https://api.twilio.com': proxyUrl('twilio'),
      'https://verify.twilio.com': proxyUrl('twilio~verify'),
    };
    class GatewayRequests extends twilio.RequestClient {
      override request<T>(options: Parameters<typeof twilio.RequestClient.prototype.request<T>>[0]) {
        const { origin } = new URL(options.uri);
        const address = hosts[origin];
        if (address === undefined) throw new Error(`${origin} is not among the hosts`);
        return super.request<T>({ ...options, uri: address + options.uri.slice(origin.length) });
      }
    }
    const client = twilio('user', userToken, { accountSid: ACCOUNT, httpClient: new GatewayRequests() });
    const begun = await client.verify.v2
      .services(SERVICE)
      .verifications.create({ to: '+15550100', channel: 'sms' });
    expect(begun.sid).toBe('VE1');
    const lookUp = async () => client.lookups.v2.phoneNumbers('+15550100').fetch();
    await expect(lookUp()).rejects.toThrow('https://lookups.twilio.com is not among the hosts');
  });
});

describe('Salesforce’s Bulk API 2.0', () => {
  it('is reached by plain requests of the client', async () => {
    const client = new Connection({
      instanceUrl: proxyUrl('salesforce'),
      accessToken: userToken,
      version: '60.0',
    });
    const job = await client.requestPost<{ id: string }>('/services/data/v60.0/jobs/query', {
      operation: 'query',
      query: 'SELECT Id, Name FROM Account',
    });
    const rows = await client.request(`/services/data/v60.0/jobs/query/${job.id}/results`, {
      responseType: 'text/csv',
    });
    expect(rows).toEqual([{ Id: '1', Name: 'Acme' }]);
  });
});
