import { createApi, FILE, SCOPES, SECRETS } from '../configuration/configuration-stage.ts';
import { callApi, callApiOk, type Project, provision } from '../support/gateway.ts';
import type { Json } from '../support/openapi.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';

let gateway: SpawnedGateway;
let project: Project;
let capital: Project;

beforeAll(async () => {
  gateway = await spawnGateway();
  project = await provision(gateway);
  capital = { ...project, id: project.id.toUpperCase() };
});
afterAll(() => gateway?.stop());

const asKey = (method: string, path: string, body?: unknown) =>
  callApi(gateway.url, method, path, { bearer: project.apiKey, ...(body !== undefined && { body }) });

describe('an id in capital letters (RFC 9562 takes both)', () => {
  it('seals what is given with it for the one project that there is', async () => {
    const made = await asKey('POST', '/v1/integrations', {
      ...{ projectId: capital.id, serviceProvider: 'hubspot', scopes: SCOPES },
      ...{ clientId: 'client', clientSecret: 'a secret of it' },
    });
    expect([made.status, made.body.projectId]).toEqual([201, project.id]);
    for (const id of [made.body.id, made.body.id.toUpperCase()])
      expect((await asKey('GET', `/v1/integrations/${id}/diagnosis`)).status).toBe(200);
    const agentSignIn = {
      openid: { issuer: 'https://accounts.google.com', clientId: 'agents', clientSecret: 'their secret' },
    };
    expect((await asKey('PATCH', `/v1/projects/${capital.id}`, { agentSignIn })).status).toBe(200);
  });

  it('allows in a connect session what a list names with it', async () => {
    const listed = await asKey('GET', '/v1/integrations?limit=1');
    const id = String(listed.body.integrations[0].id);
    const begun = await callApi(gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: project.userToken('ada'),
      body: { provider: 'hubspot', integrationIds: [id.toUpperCase()] },
    });
    expect([begun.status, begun.body.code]).toEqual([201, undefined]);
  });

  it('leaves nothing to change after an apply, by either spelling', async () => {
    const applied = await createApi(gateway.url, capital).apply(FILE);
    expect([applied.status, applied.text.slice(0, 300)]).toEqual([200, expect.anything()]);
    for (const one of [project, capital])
      expect((await createApi(gateway.url, one).plan(FILE, { secrets: SECRETS })).body.changes).toEqual([]);
  });

  it('is answered as the id in small letters is, by every operation that reads', async () => {
    const { paths } = await callApiOk(gateway.url, 'GET', '/openapi.json');
    const read = Object.entries<Json>(paths).flatMap(([path, methods]) =>
      'get' in methods && /^[^{]*\{projectId\}[^{]*$/.test(path) && !/tail|preview/.test(path) ? [path] : [],
    );
    const answers = (id: string) =>
      Promise.all(
        read.map(async (path) => {
          const { status, text } = await callApi(
            gateway.url,
            'GET',
            `/v1${path.replace('{projectId}', id)}`,
            {
              bearer: project.personalAccessToken,
            },
          );
          // The actions of both rounds, the times of their counts and of the key's last use are their own.
          return [
            path,
            status,
            status === 200 ? text.replaceAll(/"lastUsedAt":(?:null|"[^"]*")|"\d{4}-[^"]*"/g, '') : '',
          ];
        }),
      );
    const [small, large] = [await answers(project.id), await answers(capital.id)];
    expect(read.length).toBeGreaterThan(10);
    expect(large).toEqual(small);
  });

  it('leaves no fault in the log', async () => {
    for (const reason of ['one', 'two'])
      for (const { id } of [project, capital]) {
        expect((await asKey('POST', `/v1/projects/${id}/freeze`, { reason })).status).toBe(200);
        expect((await asKey('POST', `/v1/projects/${id}/unfreeze`)).status).toBe(200);
      }
    await gateway.stop();
    const faults = gateway
      .logs()
      .split('\n')
      .filter((line) => /"level":"(?:error|fatal)"|"code":"\d{5}"/.test(line));
    expect(faults).toEqual([]);
  });
});
