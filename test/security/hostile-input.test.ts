import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { createHttpBrowser } from '../examples/http-browser.ts';
import {
  createSender,
  type EventLoopMeter,
  findOverBudget,
  type HostileRequest,
  meterEnvironment,
  openEventLoopMeter,
} from '../support/event-loop.ts';
import { callApi, callApiOk } from '../support/gateway.ts';
import {
  escaped,
  hostileCredentials,
  hostileFields,
  hostileTexts,
  LINE_BYTES_MAX,
  repeatMany,
} from '../support/hostile-inputs.ts';
import { hostileRequests, listForms, listMembers, place } from '../support/hostile-operations.ts';
import { HARD_PATTERNS, hostileDescriptions, ownProvider } from '../support/hostile-providers.ts';
import { isJson, type Json, readMember, resolve, sample } from '../support/openapi.ts';
import { spawnGateway } from '../support/spawn-gateway.ts';
import { APP_ORIGIN, connectAccount, PROVIDER, type Stage, startStage } from '../support/stage.ts';

const LONG_MS = 120_000;
const USER = 'somebody';
const ABSENT_ID = '00000000-0000-7000-8000-000000000000';
const NO_LIMITS = {
  RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0',
  RATE_LIMIT_PROXY_PER_MINUTE: '0',
  RATE_LIMIT_FAILED_AUTHENTICATION_PER_MINUTE: '0',
  RATE_LIMIT_CONNECT_PER_MINUTE: '0',
};

let stage: Stage;
let url: string;
let meter: EventLoopMeter;
let sender: ReturnType<typeof createSender>;
let document: Json;

beforeAll(async () => {
  const socketPath = join(tmpdir(), `meter-${randomBytes(6).toString('hex')}.sock`);
  const env = { ...NO_LIMITS, ...meterEnvironment(socketPath) };
  stage = await startStage({ gateway: { env }, start: spawnGateway });
  url = stage.gateway.url;
  meter = await openEventLoopMeter(socketPath);
  sender = createSender(url);
  document = await callApiOk(url, 'GET', '/openapi.json');
  await asKey('POST', '/v1/providers', ownProvider('own', ['[a-z]{1,9}']));
  // An event, so that no reader of the feed waits for half a minute, in which the gateway does other things.
  await asKey('PATCH', `/v1/integrations/${stage.integration.id}`, { scopes: ['oauth'] });
});

afterAll(async () => {
  meter?.close();
  sender?.close();
  await stage?.close();
});

const overBudget = (requests: Iterable<HostileRequest>) => findOverBudget({ meter, sender }, requests);

const bearer = (token: string) => ['authorization', `Bearer ${token}`] as const;
const asKey = (method: string, path: string, body?: unknown) =>
  callApiOk(url, method, path, { bearer: stage.project.apiKey, body });

/** Every operation of the API with a request that reaches it, on things that are not there where it would delete. */
function operations(): { operation: Json; request: HostileRequest }[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, declared]) => {
      const operation = declared.operationId === 'probeClient' ? withLocalProvider(declared) : declared;
      const own = method === 'delete' ? path : path.replace('{projectId}', stage.project.id);
      const target = `/v1${own.replace('{provider}', 'custom:own').replaceAll(/\{\w+\}/g, ABSENT_ID)}`;
      const name = `${method.toUpperCase()} ${path}`;
      return {
        operation,
        request: { name, method: method.toUpperCase(), target, headers: credentialsFor(operation) },
      };
    }),
  );
}

/** A check of a client goes out to its provider. */
function withLocalProvider(operation: Json): Json {
  return JSON.parse(JSON.stringify(operation).replaceAll('"hubspot"', `"${PROVIDER}"`));
}

function credentialsFor(operation: Json): (readonly [string, string])[] {
  const schemes = JSON.stringify(operation.security);
  if (schemes.includes('apiKey')) return [bearer(stage.project.apiKey)];
  if (schemes.includes('operatorToken')) return [bearer(stage.project.personalAccessToken)];
  return schemes.includes('userToken') ? [bearer(stage.project.userToken(USER))] : [];
}

/** Writes revocations of the project into the store, half of them of tokens and half of users. */
async function seedRevocations(count: number): Promise<void> {
  const store = new pg.Client(connectionSettings(stage.gateway.databaseUrl ?? ''));
  await store.connect();
  await store.query(
    `INSERT INTO token_revocations (id, project_id, jti, subject, issued_before, expires_at)
     SELECT gen_random_uuid(), $1,
            CASE WHEN i % 2 = 0 THEN repeat('j', 120) || i END,
            CASE WHEN i % 2 = 1 THEN repeat('u', 120) || i END,
            CASE WHEN i % 2 = 1 THEN now() END,
            now() + interval '1 day'
     FROM generate_series(1, $2::int) AS i`,
    [stage.project.id, count],
  );
  await store.end();
}

const ALL_FIELDS = [
  ...[
    'accept',
    'accept-encoding',
    'accept-language',
    'access-control-request-headers',
    'connection',
    'content-type',
  ],
  ...[
    'cookie',
    'forwarded',
    'gateway-connection',
    'gateway-integration',
    'gateway-project',
    'idempotency-key',
  ],
  ...[
    'if-match',
    'if-none-match',
    'origin',
    'prefer',
    'range',
    'referer',
    'te',
    'traceparent',
    'user-agent',
    'via',
  ],
  'x-forwarded-for',
];
const PAGE_FIELDS = ['accept-encoding', 'accept-language', 'cookie', 'if-none-match', 'range'];

describe('no request holds the event loop for 50 ms', () => {
  it(
    'on any operation of the management API',
    async () => {
      const seen = new Set<string>();
      const requests = operations().map((one) => hostileRequests({ document, ...one }, seen));
      const all = (function* () {
        for (const some of requests) yield* some;
      })();
      expect(await overBudget(all)).toEqual([]);
    },
    LONG_MS,
  );

  it('with any header field or credential', async () => {
    const target = `/v1/projects/${stage.project.id}`;
    const headers = [bearer(stage.project.apiKey)];
    const asked = [['origin', APP_ORIGIN] as const, ['access-control-request-method', 'GET'] as const];
    const read = { name: 'GET project', method: 'GET', target, headers };
    const minted = {
      name: 'POST user-tokens',
      method: 'POST',
      target: '/v1/user-tokens',
      headers,
      body: () => '{}',
    };
    const preflight = { name: 'preflight', method: 'OPTIONS', target, headers: asked };
    const requests = [
      ...hostileFields(read, ALL_FIELDS),
      ...hostileFields(minted, ['content-type', 'idempotency-key', 'origin']),
      ...hostileFields(preflight, ['access-control-request-headers', 'origin']),
      ...hostileCredentials(read),
    ];
    expect(await overBudget(requests)).toEqual([]);
  });

  it('for the description of a project’s own provider', async () => {
    const descriptions = hostileDescriptions();
    const headers = [bearer(stage.project.apiKey), ['content-type', 'application/json'] as const];
    const requests = descriptions.map(([name, description]): HostileRequest => {
      const target = '/v1/providers?dryRun=true';
      return { name, method: 'POST', target, headers, body: () => JSON.stringify(description) };
    });
    expect(await overBudget(requests)).toEqual([]);
  });

  it('for values of variables that have patterns', async () => {
    const headers = [bearer(stage.project.apiKey), ['content-type', 'application/json'] as const];
    const requests: HostileRequest[] = [];
    for (const [index, pattern] of HARD_PATTERNS.entries()) {
      const id = `hard-${index}`;
      const call = { bearer: stage.project.apiKey };
      const made = async (count: number) => {
        const body = ownProvider(id, Array(count).fill(pattern), 'integration');
        return (await callApi(url, 'POST', '/v1/providers', { ...call, body })).status === 201;
      };
      const count = (await made(12)) ? 12 : (await made(3)) ? 3 : (await made(1)) ? 1 : 0;
      for (const unit of count === 0 ? [] : ['a', 'ü', 'ab', '1']) {
        const value = unit.repeat(255).slice(0, 255);
        const variables = Object.fromEntries(Array.from({ length: count }, (_, at) => [`v${at}`, value]));
        const body = () => JSON.stringify({ serviceProvider: `custom:${id}`, variables });
        const name = `${count} of ${pattern} on ${unit}`;
        requests.push({ name, method: 'POST', target: '/v1/integrations', headers, body });
      }
    }
    expect(requests.length).toBeGreaterThan(20);
    expect(await overBudget(requests)).toEqual([]);
  });

  it('for a project with many providers of its own, whatever is asked of it', async () => {
    const notes = Array(40).fill('x'.repeat(490));
    for (let index = 0; index < 60; index += 1)
      await asKey('POST', '/v1/providers', {
        ...ownProvider(`many-${index}`, Array(40).fill('[a-z]{1,9}')),
        notes,
      });
    let version = 0;
    const prepare = () => {
      version += 1;
      return asKey('PATCH', '/v1/providers/custom:own', { name: `Own ${version}` });
    };
    const target = `/projects/${stage.project.id}/proxy/custom:nothing/x`;
    const asUser = [bearer(stage.project.userToken(USER))];
    const headers = [bearer(stage.project.apiKey)];
    const requests: HostileRequest[] = [
      { name: 'cold, without credentials', method: 'GET', target, prepare },
      { name: 'cold, with a token', method: 'GET', target, prepare, headers: asUser },
      { name: 'warm', method: 'GET', target, headers: asUser },
      { name: 'the list', method: 'GET', target: '/v1/providers?limit=200&q=many', prepare, headers },
      { name: 'the longest list', method: 'GET', target: '/v1/providers?limit=200', headers },
    ];
    expect(await overBudget(requests)).toEqual([]);
  });

  it('for a project with as many revocations of user tokens as it may have', async () => {
    await seedRevocations(9_900);
    const revocations = `/v1/projects/${stage.project.id}/revocations`;
    const revoke = () => asKey('POST', revocations, { jti: randomUUID() });
    const target = `/projects/${stage.project.id}/proxy/custom:nothing/x`;
    const asUser = [bearer(stage.project.userToken(USER))];
    const headers = [bearer(stage.project.apiKey)];
    const json = [...headers, ['content-type', 'application/json'] as const];
    const body = () => JSON.stringify({ jti: randomUUID() });
    const requests: HostileRequest[] = [
      { name: 'a call after a revocation', method: 'GET', target, headers: asUser, prepare: revoke },
      { name: 'a call', method: 'GET', target, headers: asUser },
      { name: 'one more', method: 'POST', target: revocations, headers: json, body },
      { name: 'the longest list', method: 'GET', target: `${revocations}?limit=200`, headers },
    ];
    expect(await overBudget(requests)).toEqual([]);
  });

  it('for deletions that erase connections with their integration', async () => {
    let id = '';
    const prepare = async () => {
      ({ id } = await asKey('POST', '/v1/integrations', { serviceProvider: 'custom:own' }));
      const credentials = { variables: { host: 'own.example', v0: 'a' }, apiKey: 'k'.repeat(2_000) };
      for (let user = 0; user < 10; user += 1)
        await asKey('POST', '/v1/connections', { integrationId: id, userId: `user-${user}`, credentials });
    };
    const request: HostileRequest = {
      name: 'forced deletion of an integration',
      method: 'DELETE',
      get target() {
        return `/v1/integrations/${id}?force=true`;
      },
      headers: [bearer(stage.project.apiKey)],
      prepare,
    };
    expect(await overBudget([request])).toEqual([]);
    expect(
      (await callApi(url, 'GET', `/v1/integrations/${id}`, { bearer: stage.project.apiKey })).status,
    ).toBe(404);
  });

  it('for the form of a hosted page', async () => {
    const { id } = await asKey('POST', '/v1/integrations', { serviceProvider: 'custom:own' });
    const session = await asKey('POST', '/v1/connect-sessions', { integrationId: id, userId: USER });
    const target = new URL(session.url).pathname;
    const opened = await callApi(url, 'GET', target);
    const cookie = ['cookie', opened.headers.get('set-cookie')?.split(';')[0] ?? ''] as const;
    const headers = [cookie, ['content-type', 'application/x-www-form-urlencoded'] as const];
    const bytes = 64_000;
    const texts = ['host', 'v0', 'apiKey'].flatMap((field) =>
      hostileTexts(bytes).map(([what, text]) => [`${field} of ${what}`, `${field}=${escaped(text, bytes)}`]),
    );
    const bodies = [
      ...texts,
      ['host of bare slashes', `host=${'/'.repeat(bytes)}a`],
      ['many fields', repeatMany((index) => `a${index}=1`, '&', bytes)],
      ['one field again and again', 'host=1&'.repeat(bytes / 7)],
      ['separators', '&'.repeat(bytes)],
      ['percent signs', '%'.repeat(bytes)],
    ];
    const posts = bodies.map(([name = '', body = '']): HostileRequest => {
      return { name: `form with ${name}`, method: 'POST', target, headers, body: () => body };
    });
    const page = { name: 'form', method: 'GET', target, headers: [cookie] };
    expect(await overBudget([...posts, ...hostileFields(page, PAGE_FIELDS)])).toEqual([]);
  });

  it('for pages, files and addresses that lead nowhere', async () => {
    const pages = [
      '/setup',
      '/docs',
      '/docs/try',
      '/connect/x',
      '/openapi.json',
      '/sdk/connect.js',
      '/logos/hubspot.svg',
    ];
    const prefixes = [
      '/',
      '/connect/',
      '/oauth/callback/',
      '/logos/',
      '/docs/',
      '/docs/assets/',
      '/v1/',
      '/projects/',
    ];
    const requests = [
      ...pages.flatMap((target) => hostileFields({ name: target, method: 'GET', target }, PAGE_FIELDS)),
      ...prefixes.flatMap((prefix) =>
        hostileTexts(LINE_BYTES_MAX / 3).map(([what, text]): HostileRequest => {
          return { name: `${prefix} and ${what}`, method: 'GET', target: `${prefix}${escaped(text)}` };
        }),
      ),
    ];
    expect(await overBudget(requests)).toEqual([]);
  });

  it('for the callback', async () => {
    const posted = [['content-type', 'application/x-www-form-urlencoded'] as const];
    const queries = [
      ['many', repeatMany((index) => `a${index}=1`, '&', LINE_BYTES_MAX)],
      ['separators', '&'.repeat(LINE_BYTES_MAX)],
      ...hostileTexts(LINE_BYTES_MAX / 3).map(([what, text]) => [what, `code=a&state=${escaped(text)}`]),
    ];
    const requests = queries.flatMap(([what, query = '']): HostileRequest[] => [
      {
        name: `callback of ${what}`,
        method: 'GET',
        target: `/oauth/callback?${query.slice(0, LINE_BYTES_MAX)}`,
      },
      {
        name: `posted ${what}`,
        method: 'POST',
        target: '/oauth/callback',
        headers: posted,
        body: () => query,
      },
    ]);
    // A state that is waited for, so that the rest is read as well.
    for (const field of ['error', 'error_description', 'iss', 'code'])
      for (const [what, text] of hostileTexts(8_000)) {
        const { url: link } = await callApiOk(url, 'POST', '/v1/connect-sessions', {
          bearer: stage.project.userToken(USER),
          headers: { origin: APP_ORIGIN },
          body: { provider: PROVIDER },
        });
        const { headers } = await callApi(url, 'GET', new URL(link).pathname);
        const state = new URL(headers.get('location') ?? '').searchParams.get('state') ?? '';
        const error = field === 'code' || field === 'error' ? '' : '&error=invalid_request';
        const target = `/oauth/callback?state=${state}${error}&${field}=${escaped(text, 12_000)}`;
        const cookie = ['cookie', headers.get('set-cookie')?.split(';')[0] ?? ''] as const;
        requests.push({ name: `${field} of ${what}`, method: 'GET', target, headers: [cookie] });
      }
    expect(await overBudget(requests)).toEqual([]);
  });

  it('for the proxy', async () => {
    const browser = createHttpBrowser({ origins: [url, stage.crm.url] });
    await connectAccount(stage, { userId: USER, browser });
    const project = `/projects/${stage.project.id}/proxy`;
    const base = `${project}/${PROVIDER}`;
    const headers = [bearer(stage.project.userToken(USER))];
    const get = (name: string, target: string): HostileRequest => ({ name, method: 'GET', target, headers });
    const texts = hostileTexts(LINE_BYTES_MAX / 3).flatMap(([what, text]) => [
      get(`path of ${what}`, `${base}/${escaped(text)}`),
      get(`query of ${what}`, `${base}/a?${escaped(text)}`),
      get(`provider of ${what}`, `${project}/${escaped(text)}/a`),
      get(`project of ${what}`, `/projects/${escaped(text)}/proxy/${PROVIDER}/a`),
    ]);
    const units = ['/', '/a', '/%2e', '/.a', '/..a', ';', '%25', '?', '&a=b', '=', '/%41'].map((unit) =>
      get(`path of ${unit}`, `${base}/${unit.repeat(LINE_BYTES_MAX / unit.length)}`),
    );
    const names = repeatMany((index) => `x-${index}`, ' ', 8_000).split(' ');
    const call = get('call', `${base}/crm/v3/objects/contacts`);
    const preflight = {
      ...call,
      method: 'OPTIONS',
      headers: [
        ['origin', APP_ORIGIN],
        ['access-control-request-method', 'GET'],
      ] as const,
    };
    const requests = [
      ...texts,
      ...units,
      ...hostileFields(call, ALL_FIELDS),
      ...hostileFields(preflight, ['access-control-request-headers', 'origin']),
      ...hostileCredentials(call),
      { ...call, name: 'many fields', headers: [...headers, ...names.map((name) => [name, 'a'] as const)] },
      {
        ...call,
        name: 'many in Connection',
        headers: [...headers, ['connection', names.join(',')] as const],
      },
    ];
    expect(await overBudget(requests)).toEqual([]);
  });
});

/** What an example says that is not so here: there is no such operator, and this one has another password and no code. */
const NOT_SO_HERE: Readonly<Record<string, string>> = {
  addGatewayOwner: 'body.password',
  addMember: 'body.email',
  confirmOtp: 'body.otp',
  createPersonalAccessToken: 'body.password',
  disableOtp: 'body.password',
};

it('takes the example of every operation in the document', async () => {
  const refused: string[] = [];
  for (const { operation, request } of operations()) {
    const content = readMember(
      readMember(readMember(operation, 'requestBody'), 'content'),
      'application/json',
    );
    if (!isJson(content)) continue;
    const headers = Object.fromEntries(request.headers ?? []);
    const answer = await callApi(url, request.method, request.target, { headers, body: content.example });
    const isUnderstood =
      answer.body?.code !== 'invalid_request' ||
      answer.body.errors?.[0]?.path === NOT_SO_HERE[String(operation.operationId)];
    if (!isUnderstood) refused.push(`${request.name}: ${answer.text}`);
  }
  expect(refused).toEqual([]);
});

describe('an unknown member', () => {
  /** A key in the form of RFC 7517 may have unknown members; those of a grant, and of a description for the catalog, are judged by the rules of provider files. */
  const FREE = [
    'POST /projects/{projectId}/signing-keys publicKey',
    'POST /providers grants.0',
    'PATCH /providers/{provider} grants.0',
    'POST /provider-files description',
  ];

  /** Every object of the operation's body that has members of its own, with where it stands. */
  function objectsOf(schema: unknown) {
    const whole: ReturnType<typeof listMembers>[number] = [[], resolve(document, schema), []];
    const all = [whole, ...listMembers(document, schema)];
    return all
      .flatMap(([path, known, choices]) =>
        listForms(document, known).map((form) => ({ path, form, choices })),
      )
      .filter(({ form }) => isJson(form.properties));
  }

  it('is refused by name at every level of every request', async () => {
    const free: string[] = [];
    const taken: string[] = [];
    for (const { operation, request } of operations()) {
      const content = readMember(
        readMember(readMember(operation, 'requestBody'), 'content'),
        'application/json',
      );
      if (!isJson(content)) continue;
      const base = content.example ?? sample(document, content.schema);
      for (const { path, form, choices } of objectsOf(content.schema)) {
        const where = `${request.name} ${path.join('.')}`.trim();
        if (form.additionalProperties !== false) {
          free.push(where);
          continue;
        }
        const made = path.length === 0 ? base : sample(document, form);
        const chosen = choices.reduce((target, [at, value]) => place(target, at, value), base);
        const body = place(chosen, path, { ...(isJson(made) ? made : {}), colour: 'red' });
        const answer = await callApi(url, request.method, request.target, {
          headers: Object.fromEntries(request.headers ?? []),
          body,
        });
        if (answer.status !== 400 || !answer.text.includes('.colour"'))
          taken.push(`${where}: ${answer.text}`);
      }
    }
    expect([free, taken]).toEqual([FREE, []]);
  });
});
