import { callApi, type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';
import { isJson, type Json, readMember, resolve } from '../support/openapi.ts';

/** Words of the validator's, and of the language that the gateway is written in. */
const RAW =
  /invalid input|invalid option|expected |received|undefined|\bNaN\b|too (?:small|big)|\bnullish\b|regex/i;

const WRONG_VALUES: readonly unknown[] = [null, {}, [], '', 0.5, true, 'x'.repeat(5_000)];

let gateway: Gateway;
let project: Project;
let document: Json;

beforeAll(async () => {
  gateway = await startGateway();
  project = await provision(gateway);
  document = (await callApi(gateway.url, 'GET', '/openapi.json')).body;
});
afterAll(() => gateway?.stop());

type Operation = { readonly method: string; readonly path: string; readonly body: Json };

/** Those with a body; `{…}` of the path is filled with the project, or with an id that there is not. */
function operationsWithBodies(): Operation[] {
  return Object.entries(document.paths as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).flatMap(([method, operation]) => {
      const content = readMember(readMember(operation, 'requestBody'), 'content');
      const media = readMember(content, 'application/json');
      if (!isJson(media)) return [];
      const filled = `/v1${path}`
        .replace('{projectId}', project.id)
        .replace(/\{provider\}/, 'hubspot')
        .replace(/\{[^}]+\}/g, '0190b1e2-0000-7000-8000-0000000000aa');
      return [{ method: method.toUpperCase(), path: filled, body: resolve(document, media.schema) }];
    }),
  );
}

/** The words of the refusal of a body, if it is one, as an operator or with the project's key. */
async function wordsFor({ method, path }: Operation, body: unknown): Promise<string[]> {
  const answers = await Promise.all(
    [project.apiKey, project.personalAccessToken].map((bearer) =>
      callApi(gateway.url, method, path, { bearer, body }),
    ),
  );
  return answers.flatMap(({ body: problem }) => {
    const errors: { path: string; message: string }[] = problem?.errors ?? [];
    return errors.map((error) => `${method} ${path}: ${error.path}: ${error.message}`);
  });
}

it('every refusal of a body without anything, and of wrong values, is in plain words', async () => {
  const operations = operationsWithBodies();
  expect(operations.length).toBeGreaterThan(30);
  const found = new Set<string>();
  let refused = 0;
  for (const operation of operations) {
    const names = Object.keys(isJson(operation.body.properties) ? operation.body.properties : {});
    const wrong = WRONG_VALUES.map((value) => Object.fromEntries(names.map((name) => [name, value])));
    for (const body of [{}, ...wrong, []]) {
      const words = await wordsFor(operation, body);
      refused += words.length;
      for (const line of words) if (RAW.test(line)) found.add(line.slice(0, 200));
    }
  }
  expect([...found]).toEqual([]);
  expect(refused).toBeGreaterThan(500);
});

it('a query parameter of the wrong form is refused in plain words', async () => {
  const { body } = await callApi(gateway.url, 'GET', '/v1/integrations?limit=many&projectId=x', {
    bearer: project.apiKey,
  });
  expect(body.errors).toEqual([
    { path: 'query.limit', message: 'must be a number' },
    { path: 'query.projectId', message: 'must be a UUID' },
  ]);
});

describe('a description of a provider', () => {
  const describeProvider = (body: object, query = '') =>
    callApi(gateway.url, 'POST', `/v1/providers${query}`, { bearer: project.apiKey, body });

  it('names each field that is missing and says what it is', async () => {
    const { status, body } = await describeProvider({});
    expect(status).toBe(400);
    const shown = Object.fromEntries(
      body.errors.map(({ path, message }: { path: string; message: string }) => [path, message]),
    );
    expect(shown['body.id']).toMatch(/^is missing: a text \(the short name of the provider .* `mcp`/);
    expect(shown['body.name']).toMatch(/^is missing: a text \(the name/);
    expect(shown['body.auth']).toMatch(/^is missing: one of oauth2, .*jwt-bearer/);
    expect(shown['body.apiBaseUrl']).toMatch(/^is missing: a text \(the address/);
  });

  it('notes in a dry run that any wrong key will connect where nothing proves it', async () => {
    const keyed = {
      id: 'keyed',
      name: 'Keyed',
      auth: 'api-key',
      apiBaseUrl: 'https://api.acme.example',
      apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
    };
    const unproved = await describeProvider(keyed, '?dryRun=true');
    expect([unproved.status, unproved.body.notes]).toEqual([200, [expect.stringMatching(/any key.*probe/)]]);
    const probe = { url: 'https://api.acme.example/me' };
    expect((await describeProvider({ ...keyed, probe }, '?dryRun=true')).body.notes).toEqual([]);
  });
});
