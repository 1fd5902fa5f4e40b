import { auth, calendar } from '@googleapis/calendar';
import { Client, LogLevel as NotionLogLevel } from '@notionhq/client';
import { Octokit } from '@octokit/rest';
import { createAdminApiClient } from '@shopify/admin-api-client';
import { LogLevel, WebClient } from '@slack/web-api';
import { until } from '../test/support/until.ts';
import { gatewayFetch } from './provider-apis/gateway-fetch.ts';
import { github } from './provider-apis/github.ts';
import { googleCalendar } from './provider-apis/google-calendar.ts';
import { notion } from './provider-apis/notion.ts';
import { API_VERSION, SHOP, shopify } from './provider-apis/shopify.ts';
import { slack } from './provider-apis/slack.ts';
import { findRefusal, startClientStage } from './provider-apis/stage.ts';

const PROVIDERS = [github, googleCalendar, notion, shopify, slack];
const stage = await startClientStage(PROVIDERS);
afterAll(stage.close);

const token = stage.readingToken;

const web = new WebClient(token, {
  slackApiUrl: `${stage.proxyUrl('slack')}/`,
  fetch: gatewayFetch({ 'https://slack.com/api': stage.proxyUrl('slack') }),
  retryConfig: { retries: 0 },
  logLevel: LogLevel.ERROR,
});
const pages = new Client({
  auth: token,
  baseUrl: stage.proxyUrl('notion'),
  logLevel: NotionLogLevel.ERROR,
});
const octokit = new Octokit({
  auth: token,
  baseUrl: stage.proxyUrl('github'),
  log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
});
const credentials = new auth.OAuth2();
credentials.setCredentials({ access_token: token });
const { events } = calendar({
  version: 'v3',
  auth: credentials,
  fetchImplementation: gatewayFetch({ 'https://www.googleapis.com': stage.proxyUrl('google-calendar') }),
});
const storeDomain = `${SHOP}.myshopify.com`;
const shop = createAdminApiClient({
  storeDomain,
  apiVersion: API_VERSION,
  accessToken: token,
  customFetchApi: gatewayFetch({ [`https://${storeDomain}`]: stage.proxyUrl('shopify') }),
  logger: () => {},
});

const site = { owner: 'acme', repo: 'site' };
const calendarId = 'primary';
const listed = { calendarId: 'mia@example.test', eventTypes: ['default', 'focusTime'], maxResults: 3 };
const title = { title: [{ text: { content: 'Plan' } }] };
const file = { filename: 'a.txt', data: new Blob(['a file'], { type: 'text/plain' }) };
const CREATE = `mutation ($product: ProductCreateInput!) {
  productCreate(product: $product) { product { title } userErrors { message } }
}`;
const QUERY = 'query ($login: String!) { viewer(login: $login) { login } }';

type Call = () => Promise<unknown>;

describe('the official client, with a token that only reads,', () => {
  it.each<[string, Call, unknown]>([
    ['Slack', () => web.conversations.list({ limit: 2 }), { ok: true }],
    ['Notion', () => pages.users.list({ page_size: 2 }), { object: 'list' }],
    ['GitHub', () => octokit.rest.issues.listForRepo({ ...site, per_page: 2 }), { status: 200 }],
    ['GitHub by GraphQL', () => octokit.graphql(QUERY, { login: 'mia' }), { viewer: { login: 'mia' } }],
    ['Google', () => events.list(listed), { status: 200 }],
    ['Shopify by GraphQL', () => shop.request('{ orderz { id } }'), { errors: { networkStatusCode: 200 } }],
  ])('reads: %s', async (_whose, call, result) => {
    const before = stage.apis.calls.length;
    expect(await call()).toMatchObject(Object(result));
    expect(stage.apis.calls.length).toBeGreaterThan(before);
  });

  it.each<[string, Call]>([
    ['Slack: a message', () => web.chat.postMessage({ channel: 'C4', text: 'Hi' })],
    ['Notion: a page', () => pages.pages.create({ parent: { page_id: 'root' }, properties: { title } })],
    ['Notion: a file', () => pages.fileUploads.send({ file_upload_id: 'upload-1', file })],
    ['GitHub: an issue', () => octokit.rest.issues.create({ ...site, title: 'A bug' })],
    ['GitHub by GraphQL', () => octokit.graphql('mutation { addStar(input: {}) { clientMutationId } }')],
    ['Google: an event', () => events.insert({ calendarId, requestBody: { summary: 'Lunch' } })],
    ['Google: no event any more', () => events.delete({ calendarId, eventId: 'event0' })],
    ['Shopify by GraphQL', () => failedRequest(CREATE, { product: { title: 'Hat' } })],
  ])('is refused what changes something, before anything is sent: %s', async (_what, call) => {
    const before = stage.apis.calls.length;
    const denied = countDenied();
    expect(await findRefusal(call())).toBeInstanceOf(Error);
    await until(() => countDenied() > denied);
    expect(stage.apis.calls.length).toBe(before);
  });
});

function countDenied(): number {
  return stage.gateway.logs().split('"errorCode":"mandate_denied"').length;
}

/** Shopify’s client reports a refusal in its result. */
async function failedRequest(operation: string, variables: Record<string, unknown>): Promise<void> {
  const { errors } = await shop.request(operation, { variables });
  if (errors !== undefined) throw new Error(errors.message);
}
