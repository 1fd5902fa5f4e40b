import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sendgridClient from '@sendgrid/client';
import type { ClientRequest } from '@sendgrid/client/src/request.js';
import Chargebee from 'chargebee';
import { DeepLClient, QuotaExceededError, TooManyRequestsError } from 'deepl-node';
import Mailgun from 'mailgun.js';
import { Errors, ServerClient } from 'postmark';
import { chargebee } from './provider-apis/chargebee.ts';
import { deepl } from './provider-apis/deepl.ts';
import { mailgun } from './provider-apis/mailgun.ts';
import { postmark } from './provider-apis/postmark.ts';
import { sendgrid } from './provider-apis/sendgrid.ts';
import { findRefusal, startClientStage } from './provider-apis/stage.ts';

const stage = await startClientStage([chargebee, deepl, mailgun, postmark, sendgrid]);
afterAll(stage.close);

afterEach(() => {
  expect(stage.apis.strayTokens).toEqual([]);
});

describe('mailgun.js, with the user’s token as its key and the proxy as its url', () => {
  const client = (key = stage.userToken) =>
    new Mailgun(FormData).client({ username: 'api', key, url: stage.proxyUrl('mailgun') });
  const message = { from: 'us@mail.example.test', to: 'mia@example.test', subject: 'Hello', text: 'Hi' };

  it('reads bounces page by page, by the addresses that Mailgun names', async () => {
    const first = await client().suppressions.list('mail.example.test', 'bounces', { limit: 2 });
    const page = first.pages.next?.page ?? '';
    const second = await client().suppressions.list('mail.example.test', 'bounces', { page, limit: 2 });
    const addresses = [...first.items, ...second.items].map((item) => 'address' in item && item.address);
    expect(addresses).toEqual(['bounced0', 'bounced1', 'bounced2'].map((name) => `${name}@example.test`));
  });

  it('sends a message with an attachment, as multipart', async () => {
    const attachment = { data: Buffer.from('plain text'), filename: 'notes.txt' };
    const sent = await client().messages.create('mail.example.test', { ...message, attachment });
    expect(sent.message).toBe('Queued with notes.txt: plain text');
  });

  it('gets Mailgun’s refusals as its own errors', async () => {
    const busy = await findRefusal(client().messages.create('busy.example.test', message));
    expect(busy).toMatchObject({ type: 'MailgunAPIError', status: 429, details: 'Too many requests' });
    const unknown = await findRefusal(client().messages.create('other.example.test', message));
    expect(unknown).toMatchObject({ status: 404, details: 'Domain not found' });
  });

  it('gets the gateway’s refusal as an error with its status when its token is invalid', async () => {
    const refused = await findRefusal(client('no-token').messages.create('mail.example.test', message));
    expect(refused).toMatchObject({ type: 'MailgunAPIError', status: 401 });
  });
});

describe('chargebee, with the user’s token as its key and the proxy as its site and path', () => {
  function client() {
    const { protocol, hostname, port, pathname } = new URL(stage.proxyUrl('chargebee'));
    const settings = {
      apiKey: stage.userToken,
      protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
      site: hostname,
      hostSuffix: '',
      port: Number(port),
      retryConfig: { enabled: true },
    };
    // The client's declarations know two paths only; the client itself takes any.
    Object.assign(settings, { apiPath: pathname });
    return new Chargebee(settings);
  }

  it('lists customers by offset', async () => {
    const first = await client().customer.list({ limit: 2 });
    const second = await client().customer.list({ limit: 2, offset: first.next_offset ?? '' });
    const ids = [...first.list, ...second.list].map(({ customer }) => customer.id);
    expect(ids).toEqual(['customer-0', 'customer-1', 'customer-2']);
  });

  it('creates a customer by a form with nested members', async () => {
    const input = { email: 'mia@example.test', billing_address: { line1: 'Main Street 1' } };
    expect((await client().customer.create(input)).customer).toMatchObject({ id: 'customer-3', ...input });
  });

  it('waits as long as Chargebee says, then repeats', async () => {
    expect((await client().customer.retrieve('customer-1')).customer.id).toBe('customer-1');
    const statuses = stage.apis.calls.filter(({ path }) => path === '/api/v2/customers/customer-1');
    expect(statuses).toHaveLength(2);
  });

  it('gets Chargebee’s refusals as they are', async () => {
    const refused = await findRefusal(client().customer.create({ email: 'nobody' }));
    expect(refused).toMatchObject({
      http_status_code: 400,
      api_error_code: 'param_wrong_value',
      param: 'email',
    });
  });
});

describe('postmark, with the user’s token as its server token and the proxy as its request host', () => {
  const client = () => {
    const { host, pathname } = new URL(stage.proxyUrl('postmark'));
    return new ServerClient(stage.userToken, { requestHost: host + pathname, useHttps: false });
  };
  const email = { From: 'us@example.test', To: 'mia@example.test', Subject: 'Hello', TextBody: 'Hi' };

  it('reads bounces by offset', async () => {
    const { TotalCount, Bounces } = await client().getBounces({ count: 2, offset: 2 });
    expect([TotalCount, Bounces.map(({ ID }) => ID)]).toEqual([3, [2]]);
  });

  it('sends an e-mail with an attachment', async () => {
    const file = { Name: 'a.txt', Content: btoa('text'), ContentType: 'text/plain', ContentID: null };
    expect((await client().sendEmail({ ...email, Attachments: [file] })).Message).toBe('OK text');
  });

  it('gets Postmark’s refusals as its own error classes', async () => {
    const input = await findRefusal(client().sendEmail({ ...email, To: 'nobody' }));
    expect(input).toBeInstanceOf(Errors.InvalidEmailRequestError);
    expect(await findRefusal(client().getServer())).toBeInstanceOf(Errors.RateLimitExceededError);
  });
});

describe('@sendgrid/client, with the user’s token as bearer and the proxy as its base URL', () => {
  const request = (more: ClientRequest) =>
    sendgridClient.request({
      baseUrl: stage.proxyUrl('sendgrid'),
      headers: { Authorization: `Bearer ${stage.userToken}` },
      ...more,
    });
  const mail = (from: string) => ({
    method: 'POST' as const,
    url: '/v3/mail/send',
    body: {
      personalizations: [{ to: [{ email: 'mia@example.test' }] }],
      from: { email: from },
      subject: 'Hello',
      content: [{ type: 'text/plain', value: 'Hi' }],
    },
  });

  it('reads bounces by offset', async () => {
    const qs = { limit: 2, offset: 2 };
    const [, body] = await request({ url: '/v3/suppression/bounces', qs });
    expect(body).toEqual([{ email: 'bounced2@example.test' }]);
  });

  it('sends a mail, and sees the headers of the empty answer', async () => {
    const [response] = await request(mail('us@example.test'));
    expect(response.statusCode).toBe(202);
    expect(response.headers).toMatchObject({ 'x-message-id': 'message-to-mia@example.test' });
  });

  it('gets SendGrid’s refusals as its own errors, with the headers of a rate limit', async () => {
    const refused = await findRefusal(request(mail('')));
    expect(refused).toMatchObject({ code: 400, response: { body: { errors: [{ field: 'from.email' }] } } });
    const limited = await findRefusal(request({ url: '/v3/scopes' }));
    expect(limited).toMatchObject({ code: 429, response: { headers: { 'x-ratelimit-remaining': '0' } } });
  });
});

describe('deepl-node, with the user’s token as its key and the proxy as its server URL', () => {
  const client = () =>
    new DeepLClient(stage.userToken, { serverUrl: stage.proxyUrl('deepl'), maxRetries: 1 });

  it('translates texts, and asks the newer version of the API as well', async () => {
    const translated = await client().translateText(['one', 'two'], null, 'de');
    expect(translated.map(({ text }) => text)).toEqual(['ONE', 'TWO']);
    expect((await client().getUsage()).character).toEqual({ count: 30, limit: 500_000 });
    expect((await client().listMultilingualGlossaries())[0]?.name).toBe('Terms');
  });

  it('sends a document and gets the translated one, byte for byte', async () => {
    const handle = await client().uploadDocument(Buffer.from('a letter'), null, 'de', { filename: 'a.txt' });
    expect((await client().getDocumentStatus(handle)).status).toBe('done');
    const directory = await mkdtemp(join(tmpdir(), 'gateway-e2e-deepl-'));
    await client().downloadDocument(handle, join(directory, 'b.txt'));
    expect(await readFile(join(directory, 'b.txt'), 'utf8')).toBe('A LETTER');
    await rm(directory, { recursive: true });
  });

  it('gets DeepL’s refusals as its own error classes', async () => {
    const quota = client().translateText('too much', null, 'de');
    expect(await findRefusal(quota)).toBeInstanceOf(QuotaExceededError);
    expect(await findRefusal(client().getSourceLanguages())).toBeInstanceOf(TooManyRequestsError);
  });
});
