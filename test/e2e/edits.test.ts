import { type ApiAnswer, callApi, callApiOk } from '../support/gateway.ts';
import { readOperations } from '../support/openapi.ts';
import { connectAccount, type Stage, startStage } from '../support/stage.ts';

type Edit = { readonly path: string; readonly bearer: string; readonly changes: readonly object[] };

let stage: Stage;
/** By operation: a thing, and changes of different fields of it, each with one value. */
let edits: Record<string, Edit>;

beforeAll(async () => {
  stage = await startStage();
  const { gateway, project, integration } = stage;
  const { apiKey: bearer, personalAccessToken } = project;
  const make = (path: string, body: object) => callApiOk(gateway.url, 'POST', path, { bearer, body });
  const connection = await connectAccount(stage, { userId: 'u' });
  const provider = {
    id: 'custom:edited',
    name: 'Edited',
    auth: 'api-key',
    apiBaseUrl: 'https://api.edited.test',
    apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
  };
  await make('/v1/providers', provider);
  const destination = await make('/v1/event-destinations', { url: 'http://127.0.0.1:9/', types: ['none.*'] });
  const poll = await make('/v1/polls', {
    integrationId: integration.id,
    intervalSeconds: 3600,
    custom: { object: 'edited', record: { id: 'id' }, list: { request: { path: '/edited' } } },
  });
  const ofProject = `/v1/projects/${project.id}`;
  const client = await make(`/v1/integrations/${integration.id}/clients`, {
    ...{ organizationId: 'acme', clientId: 'theirs', clientSecret: 'secret' },
  });
  const mandate = await callApiOk(gateway.url, 'POST', `${ofProject}/mandates`, {
    bearer,
    body: { name: 'Edited', entries: [{ type: 'gateway_access', provider: 'hubspot', access: 'read' }] },
  });
  const asOwner = { bearer: personalAccessToken };
  const { apiKeys } = await callApiOk(gateway.url, 'GET', `${ofProject}/api-keys`, asOwner);
  const { personalAccessTokens } = await callApiOk(gateway.url, 'GET', '/v1/personal-access-tokens', asOwner);
  const { members } = await callApiOk(gateway.url, 'GET', `${ofProject}/members`, asOwner);
  edits = {
    updateProject: {
      ...{ path: ofProject, bearer },
      changes: [{ name: 'Renamed' }, { allowedOrigins: ['https://app.edited.test'] }],
    },
    updateMember: {
      ...{ path: `${ofProject}/members/${members[0].operatorId}`, bearer: personalAccessToken },
      changes: [{ role: 'owner' }],
    },
    updateApiKey: {
      ...{ path: `${ofProject}/api-keys/${apiKeys[0].id}`, bearer: personalAccessToken },
      changes: [{ name: 'Renamed' }, { scopes: ['*'] }, { allowedAddresses: ['127.0.0.0/8', '::1/128'] }],
    },
    updatePersonalAccessToken: {
      ...{ path: `/v1/personal-access-tokens/${personalAccessTokens[0].id}`, bearer: personalAccessToken },
      changes: [{ name: 'Renamed' }],
    },
    updateOwnOperator: {
      ...{ path: '/v1/operators/me', bearer: personalAccessToken },
      changes: [{ name: 'Ada' }, { language: 'es' }],
    },
    updateProvider: {
      ...{ path: '/v1/providers/custom:edited', bearer },
      changes: [{ name: 'Changed' }, { docsUrl: 'https://docs.edited.test/' }],
    },
    updateIntegration: {
      ...{ path: `/v1/integrations/${integration.id}`, bearer },
      changes: [{ clientId: 'changed' }, { scopes: ['contacts.read'] }],
    },
    updateOrganization: {
      ...{ path: `${ofProject}/organizations/acme`, bearer },
      changes: [{ callsPerDay: 1000 }],
    },
    updateOrganizationClient: {
      ...{ path: `/v1/integrations/${integration.id}/clients/${client.id}`, bearer },
      changes: [{ scopes: ['contacts.read'] }],
    },
    updateConnection: {
      ...{ path: `/v1/connections/${connection.id}`, bearer },
      changes: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ customMetadata: { [name]: name } })),
    },
    updateEventDestination: {
      ...{ path: `/v1/event-destinations/${destination.id}`, bearer },
      changes: [{ types: ['one.*'] }, { description: 'Changed' }],
    },
    updateMandate: {
      ...{ path: `${ofProject}/mandates/${mandate.id}`, bearer },
      changes: [{ name: 'Changed' }, { state: 'frozen' }],
    },
    updatePoll: { ...{ path: `/v1/polls/${poll.id}`, bearer }, changes: [{ intervalSeconds: 7200 }] },
  };
});

afterAll(() => stage?.close());

describe('six changes of one thing at the same moment, without `If-Match`', () => {
  it('are tried of every operation that changes something', async () => {
    const operations = await readOperations(stage.gateway.url);
    const changing = operations.filter(({ method }) => method === 'PATCH' || method === 'PUT');
    expect(changing.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(edits).toSorted());
  });

  it('are all made, and none loses a field of another', async () => {
    const faults: string[] = [];
    for (const [operationId, { path, bearer, changes }] of Object.entries(edits)) {
      const bodies = Array.from({ length: 6 }, (_, index) => changes[index % changes.length]);
      const answers = await Promise.all(
        bodies.map((body) => callApi(stage.gateway.url, 'PATCH', path, { bearer, body })),
      );
      for (const { status, text } of answers)
        if (status !== 200) faults.push(`${operationId}: ${status} ${text}`);
      const last = await callApi(stage.gateway.url, 'PATCH', path, { bearer, body: changes[0] });
      for (const change of changes) {
        if (!contains(last.body, change)) faults.push(`${operationId}: lost ${JSON.stringify(change)}`);
      }
    }
    expect(faults).toEqual([]);
  });
});

describe('a change of something', () => {
  it('is refused where it is based on another state than the one that stands, and its answer names that state', async () => {
    const faults: string[] = [];
    for (const [operationId, { path, bearer, changes }] of Object.entries(edits)) {
      const patch = (ifMatch: string) =>
        callApi(stage.gateway.url, 'PATCH', path, {
          ...{ bearer, body: changes[0] },
          headers: { 'If-Match': ifMatch },
        });
      const { status, headers } = await patch('"another"');
      if (status !== 412) faults.push(`${operationId}: ${status} for another state`);
      const done = await patch(headers.get('ETag') ?? 'none');
      if (done.status !== 200 || done.headers.get('ETag') === null)
        faults.push(`${operationId}: ${done.status}, ${done.headers.get('ETag')} for the one that stands`);
    }
    expect(faults).toEqual([]);
  });
});

/** Whether everything of the part stands in the whole. */
function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return whole === part;
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.entries(part).every(([name, value]) => contains(Reflect.get(whole, name), value));
}

describe('pausing and resuming a poll', () => {
  it('are guarded like changes of it, and answered with the version that they leave', async () => {
    const path = edits.updatePoll?.path ?? '';
    const bearer = stage.project.apiKey;
    // Counts of a poll move within a version.
    const versionOf = ({ headers }: ApiAnswer) => headers.get('ETag')?.replace(/\.[^.]*"$/, '"') ?? '';
    const read = async () => versionOf(await callApi(stage.gateway.url, 'GET', path, { bearer }));
    for (const verb of ['pause', 'resume']) {
      const before = await read();
      const send = (ifMatch: string) =>
        callApi(stage.gateway.url, 'POST', `${path}/${verb}`, { bearer, headers: { 'If-Match': ifMatch } });
      expect([verb, (await send('"another"')).status]).toEqual([verb, 412]);
      expect([verb, await read()]).toEqual([verb, before]);
      const done = await send(before);
      expect([verb, done.status, versionOf(done)]).toEqual([verb, 200, await read()]);
      expect([verb, (await send(before)).status]).toEqual([verb, 412]);
    }
  });
});
