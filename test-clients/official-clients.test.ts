import { auth, calendar } from '@googleapis/calendar';
import { APIResponseError, Client, collectPaginatedAPI, LogLevel as NotionLogLevel } from '@notionhq/client';
import { Octokit } from '@octokit/rest';
import { createAdminApiClient } from '@shopify/admin-api-client';
import { LogLevel, WebClient } from '@slack/web-api';
import { gatewayFetch } from './provider-apis/gateway-fetch.ts';
import { github } from './provider-apis/github.ts';
import { googleCalendar } from './provider-apis/google-calendar.ts';
import { notion } from './provider-apis/notion.ts';
import { API_VERSION, SHOP, shopify } from './provider-apis/shopify.ts';
import { slack } from './provider-apis/slack.ts';
import { findRefusal, startClientStage } from './provider-apis/stage.ts';

const stage = await startClientStage([github, googleCalendar, notion, shopify, slack]);
afterAll(stage.close);

afterEach(() => {
  expect(stage.apis.strayTokens).toEqual([]);
});

const callsOf = (path: string) => stage.apis.calls.filter((call) => call.path === path);

describe('@slack/web-api, with the user’s token as its token and the proxy as slackApiUrl', () => {
  const client = (token = stage.userToken) =>
    new WebClient(token, {
      slackApiUrl: `${stage.proxyUrl('slack')}/`,
      fetch: gatewayFetch({ 'https://slack.com/api': stage.proxyUrl('slack') }),
      // Left to itself, the client repeats every status other than 200 for half an hour.
      retryConfig: { retries: 1, minTimeout: 100 },
      logLevel: LogLevel.ERROR,
    });

  it('lists channels page by page', async () => {
    const names: (string | undefined)[] = [];
    for await (const page of client().paginate('conversations.list', { limit: 2 })) {
      if ('channels' in page && Array.isArray(page.channels)) {
        names.push(...page.channels.map(({ name }) => name));
      }
    }
    expect(names).toEqual(['general', 'random', 'sales', 'support', 'dogs']);
  });

  it('posts a message, with every character of it', async () => {
    const text = 'Grüße & 100 % + "quotes" 🐕';
    const sent = await client().chat.postMessage({ channel: 'C4', text });
    expect(sent.message?.text).toBe(text);
  });

  it('gets Slack’s refusal, which comes with status 200, as its own error', async () => {
    const refused = await findRefusal(client().chat.postMessage({ channel: 'C9', text: 'Hi' }));
    expect(refused).toMatchObject({
      code: 'slack_webapi_platform_error',
      data: { error: 'channel_not_found' },
    });
  });

  it('waits as long as Slack says, then repeats', async () => {
    expect((await client().users.info({ user: 'U1' })).user?.name).toBe('mia');
    expect(callsOf('/api/users.info')).toHaveLength(2);
  });

  it('uploads a file to the address that Slack names, without showing the user’s token there', async () => {
    const uploaded = await client().filesUploadV2({ filename: 'a.txt', file: Buffer.from('a file') });
    expect(uploaded).toMatchObject({ ok: true, files: [{ files: [{ id: 'F1', preview: 'a file' }] }] });
    expect(callsOf('/upload/v1/F1')).toHaveLength(1);
  });

  it('gets the gateway’s refusal as an error with its status when its token is invalid', async () => {
    const refused = await findRefusal(client('no-token').auth.test());
    expect(refused).toMatchObject({ code: 'slack_webapi_http_error', statusCode: 401 });
  });
});

describe('@notionhq/client, with the user’s token as auth and the proxy as baseUrl', () => {
  const client = (more: { notionVersion?: string } = {}) =>
    new Client({
      auth: stage.userToken,
      baseUrl: stage.proxyUrl('notion'),
      logLevel: NotionLogLevel.ERROR,
      ...more,
    });

  it('collects users page by page', async () => {
    const users = await collectPaginatedAPI(client().users.list, { page_size: 2 });
    expect(users.map(({ id }) => id)).toEqual(['user-0', 'user-1', 'user-2', 'user-3', 'user-4']);
  });

  it('creates a page', async () => {
    const properties = { title: { title: [{ text: { content: 'Plan' } }] } };
    const page = await client().pages.create({ parent: { page_id: 'root' }, properties });
    expect(page).toMatchObject({ id: 'page-1', properties });
  });

  it('sends a file as multipart', async () => {
    const file = { filename: 'a.txt', data: new Blob(['a file'], { type: 'text/plain' }) };
    const sent = await client().fileUploads.send({ file_upload_id: 'upload-1', file });
    expect(sent).toMatchObject({ status: 'uploaded', filename: 'a.txt: a file' });
  });

  it('keeps the version that the client asks for, and repeats when it is limited', async () => {
    const notionVersion = '2026-03-11';
    const versioned = client({ notionVersion });
    expect(await versioned.users.me({})).toMatchObject({ id: 'bot-1', name: notionVersion });
    expect(callsOf('/v1/users/me')).toHaveLength(2);
  });

  it('gets Notion’s refusals as its own error class', async () => {
    const refused = await findRefusal(client().pages.retrieve({ page_id: 'unknown' }));
    expect(refused).toBeInstanceOf(APIResponseError);
    expect(refused).toMatchObject({ code: 'object_not_found', status: 404 });
  });
});

describe('@octokit/rest, with the user’s token as auth and the proxy as baseUrl', () => {
  const client = () => {
    const baseUrl = stage.proxyUrl('github');
    return new Octokit({
      auth: stage.userToken,
      baseUrl,
      request: { fetch: gatewayFetch({ 'https://api.github.com': baseUrl }) },
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    });
  };
  const site = { owner: 'acme', repo: 'site' };

  it('follows the addresses of pages, which name GitHub itself, through the gateway', async () => {
    const octokit = client();
    const issues = await octokit.paginate(octokit.rest.issues.listForRepo, { ...site, per_page: 2 });
    expect(issues.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    expect(callsOf('/repos/acme/site/issues')).toHaveLength(3);
  });

  it('opens an issue, and asks by GraphQL', async () => {
    const created = await client().rest.issues.create({ ...site, title: 'A bug', labels: ['bug'] });
    expect(created).toMatchObject({ status: 201, data: { number: 6, title: 'A bug' } });
    const query = 'query ($login: String!) { viewer(login: $login) { login } }';
    expect(await client().graphql(query, { login: 'mia' })).toEqual({ viewer: { login: 'mia' } });
  });

  it('downloads what lies at another host, without showing the user’s token there', async () => {
    const { data } = await client().rest.repos.downloadZipballArchive({ ...site, ref: 'main' });
    expect(data).toBeInstanceOf(ArrayBuffer);
    expect(callsOf('/acme/site/legacy.zip/main')).toHaveLength(1);
  });

  it('gets GitHub’s refusals as its own errors, with the headers of a rate limit', async () => {
    const invalid = await findRefusal(client().rest.issues.create({ ...site, title: '' }));
    expect(invalid).toMatchObject({ name: 'HttpError', status: 422 });
    const limited = await findRefusal(client().rest.search.code({ q: 'acme' }));
    expect(limited).toMatchObject({ status: 403, response: { headers: { 'retry-after': '60' } } });
  });
});

describe('@googleapis/calendar, with the user’s token as access token and the proxy behind its fetch', () => {
  const client = () => {
    const credentials = new auth.OAuth2();
    credentials.setCredentials({ access_token: stage.userToken });
    const fetchImplementation = gatewayFetch({
      'https://www.googleapis.com': stage.proxyUrl('google-calendar'),
    });
    return calendar({ version: 'v3', auth: credentials, fetchImplementation });
  };

  it('lists events page by page, with an encoded id and a repeated parameter', async () => {
    const query = { calendarId: 'mia@example.test', eventTypes: ['default', 'focusTime'], maxResults: 3 };
    const first = await client().events.list(query);
    const second = await client().events.list({ ...query, pageToken: first.data.nextPageToken ?? '' });
    const ids = [...(first.data.items ?? []), ...(second.data.items ?? [])].map(({ id }) => id);
    expect(ids).toEqual(['event0', 'event1', 'event2', 'event3', 'event4']);
  });

  it('creates, changes and deletes an event', async () => {
    const { events } = client();
    const calendarId = 'primary';
    const created = await events.insert({ calendarId, requestBody: { summary: 'Lunch' } });
    const eventId = created.data.id ?? '';
    const changed = await events.patch({ calendarId, eventId, requestBody: { summary: 'Dinner' } });
    expect(changed.data.summary).toBe('Dinner');
    expect((await events.delete({ calendarId, eventId })).status).toBe(204);
  });

  it('repeats when it is limited', async () => {
    expect((await client().colors.get()).data.kind).toBe('calendar#colors');
    expect(callsOf('/calendar/v3/colors')).toHaveLength(2);
  });

  it('gets Google’s refusals as its own errors', async () => {
    const refused = await findRefusal(client().events.get({ calendarId: 'primary', eventId: 'unknown' }));
    expect(refused).toMatchObject({ status: 404, message: 'Not Found' });
  });
});

describe('@shopify/admin-api-client, with the user’s token as access token and the proxy behind its fetch', () => {
  const client = () => {
    const storeDomain = `${SHOP}.myshopify.com`;
    return createAdminApiClient({
      storeDomain,
      apiVersion: API_VERSION,
      accessToken: stage.userToken,
      retries: 1,
      customFetchApi: gatewayFetch({ [`https://${storeDomain}`]: stage.proxyUrl('shopify') }),
      logger: () => {},
    });
  };

  it('reads products page by page', async () => {
    const query = `query ($first: Int!, $after: String) {
      products(first: $first, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
    }`;
    const ids: string[] = [];
    const read = async (after: string | null): Promise<void> => {
      const { data } = await client().request(query, { variables: { first: 2, after } });
      ids.push(...data.products.nodes.map(({ id }: { id: string }) => id));
      const { hasNextPage, endCursor } = data.products.pageInfo;
      if (hasNextPage) await read(endCursor);
    };
    await read(null);
    expect(ids).toEqual([0, 1, 2, 3, 4].map((index) => `gid://shopify/Product/${index}`));
  });

  it('creates a product', async () => {
    const mutation = `mutation ($product: ProductCreateInput!) {
      productCreate(product: $product) { product { title } userErrors { message } }
    }`;
    const { data } = await client().request(mutation, { variables: { product: { title: 'Hat' } } });
    expect(data.productCreate.product.title).toBe('Hat');
  });

  it('repeats when it is limited', async () => {
    expect((await client().request('{ shop { name } }')).data).toEqual({ shop: { name: 'Acme' } });
  });

  it('gets Shopify’s refusal, which comes with status 200, as errors of GraphQL', async () => {
    const { errors } = await client().request('{ orderz { id } }');
    expect(errors).toMatchObject({
      networkStatusCode: 200,
      graphQLErrors: [{ message: expect.stringContaining('orderz') }],
    });
  });
});
