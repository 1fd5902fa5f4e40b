import http, { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Browser } from 'playwright-core';
import { openContext, startWholeBrowser } from '../support/browser.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { TEST_CERTIFICATE, TEST_KEY, trustFlag } from '../support/certificate.ts';
import { callApiOk, type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';
import { plainProviderFile } from '../support/held-provider.ts';
import { closeServer, listen } from '../support/listen.ts';

/**
 * Network Error Logging: a field of an answer makes Chromium report every later failure at that origin, with its whole
 * URL, to an address of the field's choice. At the gateway's callback such a URL holds a code and its state.
 */

const CALLBACK = '/oauth/callback?code=the-code&state=the-state';
const USER = 'mia';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

const closers: (() => Promise<unknown>)[] = [];
const reports: { readonly url: string; readonly type: string }[] = [];
let browser: Browser;
let gateway: Gateway;
let project: Project;
let application: string;
let reportingFields: OutgoingHttpHeaders;

/** An https server on localhost; all of them are one site. */
async function startSecure(listener: Listener): Promise<string> {
  const server = https.createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, listener);
  const port = await listen(server);
  closers.push(() => closeServer(server));
  return `https://localhost:${port}`;
}

/** TLS in front of the gateway, as a load balancer has it. `more` are fields that it adds to proxied answers. */
function startFront(more: OutgoingHttpHeaders = {}): Promise<string> {
  return startSecure((request, response) => {
    const { method, url, headers } = request;
    const forwarded = http.request({ port: gateway.port, host: '127.0.0.1', method, path: url, headers });
    forwarded.on('response', (answer) => {
      const isProxied = url?.startsWith('/projects/') === true;
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...(isProxied && more) });
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
}

beforeAll(async () => {
  const collector = await startSecure(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.method === 'POST') reports.push(...JSON.parse(body));
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type' };
    response.writeHead(200, cors).end();
  });
  const group = { group: 'evil', max_age: 86_400, endpoints: [{ url: `${collector}/` }] };
  reportingFields = {
    nel: JSON.stringify({ report_to: 'evil', max_age: 86_400, failure_fraction: 1, success_fraction: 1 }),
    'report-to': JSON.stringify(group),
  };
  const provider = http.createServer((_request, response) =>
    response.writeHead(200, reportingFields).end('ok'),
  );
  const providerUrl = `http://127.0.0.1:${await listen(provider)}`;
  const catalog = await createCatalogDir({ evil: plainProviderFile('evil', providerUrl) });
  closers.push(() => closeServer(provider), catalog.remove);
  gateway = await startGateway({ catalogDir: catalog.path });
  closers.push(gateway.stop);
  application = await startSecure((_request, response) =>
    response.setHeader('content-type', 'text/html').end('App'),
  );
  project = await provision(gateway, { allowedOrigins: [application] });
  const bearer = project.apiKey;
  const { id } = await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer,
    body: { serviceProvider: 'evil', clientId: 'id', clientSecret: 'secret', scopes: ['read'] },
  });
  const credentials = { accessToken: 'access-token' };
  await callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer,
    body: { integrationId: id, userId: USER, credentials },
  });
  browser = await startWholeBrowser([trustFlag(), '--short-reporting-delay']);
});

afterAll(async () => {
  await browser?.close();
  for (const close of closers.reverse()) await close();
});

it('a provider cannot have a browser report what happens on the gateway’s origin', async () => {
  const guarded = await startFront();
  // The same gateway, if it let the fields pass: without its reports, missing ones would prove nothing.
  const leaky = await startFront(reportingFields);
  const page = await (await openContext(browser)).newPage();
  for (const origin of [guarded, leaky]) {
    await page.goto(application);
    const status = await page.evaluate(
      async ([url, token]) => (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status,
      [`${origin}/projects/${project.id}/proxy/evil/x`, project.userToken(USER)] as const,
    );
    expect(status).toBe(200);
    expect((await page.goto(origin + CALLBACK))?.status()).toBe(403);
  }
  // The browser sends what it has collected at once, so the earlier origin's reports would be here as well.
  while (!reports.some(({ url }) => url === leaky + CALLBACK))
    await new Promise((resolve) => setTimeout(resolve, 50));
  expect(reports.map(({ url }) => url).filter((url) => url.startsWith(guarded))).toEqual([]);
});
