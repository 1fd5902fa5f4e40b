import { readFileSync } from 'node:fs';
import http from 'node:http';
import { buildResponseFields } from '../../src/proxy/response-headers.ts';
import { closeServer, listen } from '../support/listen.ts';
import { type Harness, startHarness, USER_TOKEN } from '../support/proxy-harness.ts';
import { closeLater, closeStage } from '../support/proxy-stage.ts';

/** What every client reads. */
const COMMON = ['content-type', 'content-length', 'content-encoding', 'date'];

/** The fields of answers that the clients of `test-clients/` read, by their sources, and those that their APIs document. */
const CLIENTS: Readonly<Record<string, readonly string[]>> = {
  '@anthropic-ai/sdk': ['request-id', 'retry-after', 'retry-after-ms', 'x-should-retry', 'message-thread'],
  '@aws-sdk/client-dynamodb': [
    'x-amzn-requestid',
    'x-amz-crc32',
    'x-amzn-query-error',
    'x-amz-cf-id',
    'x-amz-id-2',
  ],
  '@aws-sdk/client-s3': [
    ...['accept-ranges', 'content-range', 'etag', 'last-modified', 'expires', 'content-disposition'],
    ...[
      'x-amz-request-id',
      'x-amz-version-id',
      'x-amz-delete-marker',
      'x-amz-meta-origin',
      'x-amz-mp-parts-count',
    ],
    ...['x-amz-server-side-encryption', 'x-amz-checksum-crc32', 'x-amz-storage-class', 'x-amz-bucket-region'],
  ],
  '@discordjs/rest': [
    ...[
      'retry-after',
      'x-ratelimit-bucket',
      'x-ratelimit-global',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
    ],
    ...['x-ratelimit-reset-after', 'x-ratelimit-scope'],
  ],
  '@gitbeaker/rest': [
    'link',
    'x-next-page',
    'x-page',
    'x-per-page',
    'x-prev-page',
    'x-total',
    'x-total-pages',
  ],
  '@googleapis/calendar': ['etag', 'location'],
  '@googleapis/drive': [
    ...['location', 'range', 'etag', 'x-goog-hash', 'x-guploader-uploadid', 'x-goog-upload-status'],
    ...['x-goog-upload-url', 'x-goog-upload-chunk-granularity', 'x-goog-upload-size-received'],
  ],
  '@googleapis/gmail': ['location', 'range'],
  '@hubspot/api-client': ['content-disposition', 'x-hubspot-ratelimit-daily', 'x-hubspot-correlation-id'],
  '@jsforce/jsforce-node': [
    ...['location', 'sforce-limit-info', 'sforce-locator', 'sforce-numberofrecords', 'sforce-query-locator'],
  ],
  '@linear/sdk': [
    ...[
      'retry-after',
      'x-ratelimit-requests-limit',
      'x-ratelimit-requests-remaining',
      'x-ratelimit-requests-reset',
    ],
    ...['x-ratelimit-complexity-limit', 'x-ratelimit-complexity-remaining', 'x-ratelimit-complexity-reset'],
    ...['x-complexity', 'x-request-id'],
  ],
  '@mailchimp/mailchimp_marketing': ['link', 'x-request-id'],
  '@microsoft/microsoft-graph-client': [
    ...['location', 'retry-after', 'request-id', 'client-request-id', 'operation-location', 'sprequestguid'],
    ...[
      'azure-asyncoperation',
      'preference-applied',
      'ratelimit-remaining',
      'x-ms-ags-diagnostic',
      'odata-version',
    ],
  ],
  '@notionhq/client': ['retry-after', 'x-notion-request-id'],
  '@octokit/rest': [
    ...[
      'deprecation',
      'etag',
      'last-modified',
      'link',
      'location',
      'retry-after',
      'sunset',
      'x-poll-interval',
    ],
    ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-ratelimit-resource'],
    ...[
      'x-oauth-scopes',
      'x-accepted-oauth-scopes',
      'x-github-media-type',
      'x-github-request-id',
      'x-github-sso',
    ],
  ],
  '@sendgrid/client': ['x-message-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
  '@shopify/admin-api-client': [
    ...['link', 'retry-after', 'x-request-id', 'x-shopify-api-deprecated-reason', 'x-shopify-api-version'],
    ...['x-shopify-shop-api-call-limit', 'shopify-complexity-score'],
  ],
  '@slack/web-api': ['retry-after', 'x-accepted-oauth-scopes', 'x-oauth-scopes', 'x-slack-req-id'],
  airtable: [],
  asana: ['asana-change', 'retry-after'],
  'box-node-sdk': ['box-request-id', 'content-md5', 'etag', 'location', 'retry-after'],
  chargebee: ['retry-after', 'chargebee-idempotency-replayed', 'chargebee-request-id'],
  'deepl-node': ['x-trace-id'],
  dropbox: ['dropbox-api-result', 'original-content-length', 'retry-after', 'x-dropbox-request-id'],
  'intercom-client': ['intercom-version', 'retry-after', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
  'jira.js': ['atl-traceid', 'beta-retry-after', 'retry-after', 'x-arequestid', 'x-ratelimit-nearlimit'],
  'klaviyo-api': ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'revision'],
  'mailgun.js': ['x-ratelimit-remaining', 'x-ratelimit-reset'],
  'node-quickbooks': ['intuit_tid', 'request-id'],
  'node-zendesk': ['link', 'retry-after', 'zendesk-ratelimit-tickets-index', 'x-rate-limit-remaining'],
  openai: [
    ...[
      'openai-organization',
      'openai-poll-after-ms',
      'openai-processing-ms',
      'openai-version',
      'retry-after',
    ],
    ...['retry-after-ms', 'x-ratelimit-remaining-tokens', 'x-request-id', 'x-should-retry'],
  ],
  pipedrive: ['x-daily-ratelimit-token-remaining', 'x-ratelimit-remaining'],
  postmark: ['x-pm-message-id'],
  resend: ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'],
  square: ['content-disposition', 'retry-after', 'square-version', 'x-ratelimit-reset'],
  stripe: [
    ...[
      'idempotency-key',
      'idempotent-replayed',
      'original-request',
      'request-id',
      'retry-after',
      'stripe-account',
    ],
    ...['stripe-context', 'stripe-notice', 'stripe-should-retry', 'stripe-version'],
  ],
  twilio: ['twilio-concurrent-requests', 'twilio-request-duration', 'twilio-request-id', 'flex-metadata'],
  // It makes a field of requests, and reads no answer.
  wsse: [],
  'xero-node': ['retry-after', 'x-appminlimit-remaining', 'x-minlimit-remaining', 'x-rate-limit-problem'],
};

afterEach(closeStage);

it('names every client that is tried with the gateway', () => {
  const { devDependencies } = JSON.parse(
    readFileSync(new URL('../../test-clients/package.json', import.meta.url), 'utf8'),
  );
  expect(Object.keys(CLIENTS).sort()).toEqual(Object.keys(devDependencies).sort());
});

it.each(Object.entries(CLIENTS))('%s gets every field of an answer that it reads', (_client, names) => {
  const sent = [...COMMON, ...names];
  const { fields } = buildResponseFields(
    sent.flatMap((name) => [name, '1']),
    { requestId: 'r' },
  );
  const got = new Set(fields.filter((_text, index) => index % 2 === 0));
  expect(sent.filter((name) => !got.has(name))).toEqual([]);
});

/** Google's resumable uploads: a chunk at a time, of which it keeps less than was sent at first. */
async function startUploads() {
  const parts: Buffer[] = [];
  const server = http.createServer(async (request, response) => {
    const chunk: Buffer[] = [];
    for await (const piece of request) chunk.push(piece);
    if (request.method === 'POST') {
      response.writeHead(200, { location: `http://${request.headers.host}/upload?upload_id=1` }).end();
      return;
    }
    const kept = Buffer.concat(chunk).subarray(0, parts.length === 0 ? 100_000 : undefined);
    parts.push(kept);
    const received = Buffer.concat(parts).length;
    const total = Number(request.headers['content-range']?.split('/')[1]);
    if (received === total)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"file"}');
    else response.writeHead(308, { range: `bytes=0-${received - 1}`, 'content-length': '0' }).end();
  });
  const port = await listen(server);
  closeLater(() => closeServer(server));
  return { port, content: () => Buffer.concat(parts) };
}

/** As Google's clients do: each chunk begins behind what `Range` of the last answer says, and at 0 without it. */
async function uploadResumably(gateway: Harness, content: Buffer, chunkBytes: number): Promise<string> {
  const headers = { authorization: `Bearer ${USER_TOKEN}` };
  const begun = await fetch(`${gateway.url}/upload?uploadType=resumable`, { method: 'POST', headers });
  const session = new URL(begun.headers.get('location') ?? '');
  let next = 0;
  for (let round = 0; round < 20; round += 1) {
    const chunk = content.subarray(next, next + chunkBytes);
    const answer = await fetch(`${gateway.url}${session.pathname}${session.search}`, {
      method: 'PUT',
      redirect: 'manual',
      headers: {
        ...headers,
        'content-range': `bytes ${next}-${next + chunk.length - 1}/${content.length}`,
      },
      body: new Uint8Array(chunk),
    });
    if (answer.status !== 308) return answer.text();
    next = Number(answer.headers.get('range')?.split('-')[1] ?? -1) + 1;
  }
  throw new Error('the upload never ends');
}

it('a resumable upload to Google goes on where the last chunk ended', async () => {
  const provider = await startUploads();
  const gateway = await startHarness({ upstreamPort: provider.port });
  closeLater(gateway.close);
  const content = Buffer.from(Array.from({ length: 600_000 }, (_, index) => index % 251));
  expect(await uploadResumably(gateway, content, 256 * 1024)).toBe('{"id":"file"}');
  expect(provider.content().equals(content)).toBe(true);
});
