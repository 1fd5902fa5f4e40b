import { callApiOk } from '../support/gateway.ts';
import {
  type ConfigurationStage,
  FILE,
  SCOPES,
  SECRETS,
  startConfigurationStage,
} from './configuration-stage.ts';

let stage: ConfigurationStage;
let api: ConfigurationStage['api'];

beforeAll(async () => {
  stage = await startConfigurationStage();
  api = stage.api;
});
afterAll(() => stage?.gateway.stop());

const without = (section: keyof typeof FILE, index: number) => {
  const list = FILE[section];
  return { ...FILE, [section]: Array.isArray(list) ? list.filter((_, at) => at !== index) : list };
};

describe('a file', () => {
  it('is planned, applied as one, and then there is nothing left to plan', async () => {
    const planned = await api.plan(FILE);
    expect([planned.status, planned.text]).toEqual([200, expect.any(String)]);
    expect(
      planned.body.changes.map(
        ({ action, type, name }: Record<string, string>) => `${action} ${type} ${name}`,
      ),
    ).toEqual(
      expect.arrayContaining([
        'update project End-to-end',
        'create customProvider acme-crm',
        'create mandate Reading contacts',
        'create integration crm',
        'create integration own',
        'create poll contacts',
        'create destination events',
      ]),
    );
    expect(planned.body.summary).toEqual({ create: 6, update: 1, delete: 0 });
    const applied = await api.call('apply', {
      configuration: FILE,
      secrets: SECRETS,
      stateHash: planned.body.stateHash,
    });
    expect([applied.status, applied.text]).toEqual([200, expect.stringContaining('stateHash')]);
    const again = await api.plan(FILE);
    expect(again.body).toMatchObject({ changes: [], adopted: [], stateHash: applied.body.stateHash });
    const { integrations } = (await api.get('/v1/integrations')).body;
    expect(integrations).toMatchObject([
      { serviceProvider: 'custom:acme-crm', name: null, clientId: 'client-of-own' },
      { serviceProvider: 'hubspot', name: 'HubSpot (Europe)', clientId: 'client-of-crm', scopes: SCOPES },
    ]);
    const { polls } = (await api.get('/v1/polls')).body;
    expect(polls).toMatchObject([{ integrationId: integrations[1].id, resource: 'contacts' }]);
    const project = (await api.get(`/v1/projects/${stage.project.id}`)).body;
    expect(project).toMatchObject({ limits: FILE.project.limits, branding: FILE.project.branding });
    const entries = (await api.get('/v1/activity?limit=20')).body.activity;
    expect(entries[0]).toMatchObject({
      action: 'configuration.applied',
      details: { created: 6, updated: 1, deleted: 0 },
    });
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['integration.created', 'poll.created']),
    );
  });

  it('is exported as it was applied, with the same references', async () => {
    const { body } = await api.export();
    expect(body.configuration).toMatchObject({
      ...FILE,
      customProviders: FILE.customProviders,
      polls: FILE.polls,
      mandates: [{ name: 'Reading contacts' }],
    });
    expect((await api.plan(body.configuration)).body.changes).toEqual([]);
    expect((await api.plan(body.yaml, {})).body).toMatchObject({
      changes: [],
      unverifiedSecrets: [`\${env:CRM_SECRET}`, `\${file:secrets/own}`],
    });
  });

  it('shows a change by hand as drift, and takes it back', async () => {
    const [, { id }] = (await api.get('/v1/integrations')).body.integrations;
    expect((await api.drift()).body).toMatchObject({ drifted: false });
    await callApiOk(stage.gateway.url, 'PATCH', `/v1/integrations/${id}`, {
      bearer: stage.project.apiKey,
      body: { scopes: [...SCOPES, 'tickets'], clientSecret: 'another secret' },
    });
    const { body } = await api.drift();
    expect(body.objects.filter(({ state }: { state: string }) => state !== 'in_sync')).toEqual([
      {
        type: 'integration',
        name: 'crm',
        objectId: id,
        state: 'drifted',
        fields: [
          { path: 'scopes', from: SCOPES, to: [...SCOPES, 'tickets'] },
          { path: 'clientSecret', secret: true, reference: `\${env:CRM_SECRET}` },
        ],
      },
    ]);
    expect((await api.get(api.path)).body).toEqual(body);
    expect((await api.drift({ configuration: FILE, secrets: SECRETS })).body).toMatchObject({
      drifted: true,
    });
    const planned = (await api.plan(FILE)).body;
    expect(planned.changes).toMatchObject([{ action: 'update', type: 'integration', name: 'crm' }]);
    expect((await api.apply(FILE)).status).toBe(200);
    expect((await api.drift()).body.drifted).toBe(false);
    expect((await api.plan(FILE)).body.changes).toEqual([]);
  });

  it('is refused where the state moved since the plan', async () => {
    const { stateHash } = (await api.plan(FILE)).body;
    const [, { id }] = (await api.get('/v1/integrations')).body.integrations;
    await api.send('PATCH', `/v1/integrations/${id}`, { optionalScopes: ['forms'] });
    const refused = await api.call('apply', { configuration: FILE, secrets: SECRETS, stateHash });
    expect([refused.status, refused.body.code]).toEqual([409, 'configuration_moved']);
    expect((await api.apply(FILE)).status).toBe(200);
  });

  it('takes If-Match as the state of the project, not of the objects in it', async () => {
    const [mandate] = FILE.mandates;
    const entries = mandate?.entries.map((entry) => ({ ...entry, methods: ['GET'] }));
    const changed = { ...FILE, mandates: [{ ...mandate, entries }] };
    const planned = await api.plan(changed);
    const { stateHash } = planned.body;
    const apply = (etag: string) =>
      api.call(
        'apply',
        { configuration: changed, secrets: SECRETS, stateHash },
        { headers: { 'If-Match': etag } },
      );
    const refused = await apply('"another"');
    expect([refused.status, refused.headers.get('etag')]).toEqual([412, `"${stateHash}"`]);
    const applied = await apply(planned.headers.get('etag') ?? '');
    expect([applied.status, applied.body.summary]).toEqual([200, { create: 0, update: 1, delete: 0 }]);
    expect((await api.apply(FILE)).status).toBe(200);
  });

  it('lets one of two applies at the same time win', async () => {
    const wanted = (limit: number) => ({
      ...FILE,
      project: { ...FILE.project, limits: { proxyCallsPerMinute: limit } },
    });
    const { stateHash } = (await api.plan(FILE)).body;
    const answers = await Promise.all(
      [1, 2, 3].map((limit) =>
        api.call('apply', { configuration: wanted(limit), secrets: SECRETS, stateHash }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect((await api.apply(FILE)).status).toBe(200);
  });

  it('changes nothing where one of its objects is refused, and says where that stands', async () => {
    const faulty = {
      ...FILE,
      project: { ...FILE.project, requireMandate: true },
      polls: [
        ...FILE.polls,
        { name: 'deals', integration: 'crm', resource: 'no-such', intervalSeconds: 300 },
      ],
    };
    const refused = await api.apply(faulty);
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [{ path: 'configuration.polls.1.resource', message: expect.stringContaining('not a resource') }],
    ]);
    expect((await api.get(`/v1/projects/${stage.project.id}`)).body.requireMandate).toBe(false);
    expect((await api.plan(FILE)).body.changes).toEqual([]);
  });

  it('deletes what an earlier one listed, and leaves what was made by hand', async () => {
    await api.send('POST', `/v1/projects/${stage.project.id}/mandates`, {
      name: 'By hand',
      entries: FILE.mandates[0]?.entries,
    });
    const planned = (await api.plan(without('mandates', 0))).body;
    expect(planned.changes).toEqual([
      { action: 'delete', type: 'mandate', name: 'Reading contacts', fields: [] },
    ]);
    expect(planned.unmanaged).toEqual([{ type: 'mandate', name: 'By hand' }]);
    expect((await api.apply(without('mandates', 0))).status).toBe(200);
    const { mandates } = (await api.get(`/v1/projects/${stage.project.id}/mandates`)).body;
    expect(mandates.map(({ name }: { name: string }) => name)).toEqual(['By hand']);
    expect((await api.apply(FILE)).status).toBe(200);
  });

  it('takes over what was made by hand under its name, without a change', async () => {
    const own = {
      ...FILE,
      mandates: [...FILE.mandates, { name: 'By hand', entries: FILE.mandates[0]?.entries }],
    };
    const planned = (await api.plan(own)).body;
    expect(planned).toMatchObject({ changes: [], adopted: [{ type: 'mandate', name: 'By hand' }] });
    expect((await api.apply(own)).status).toBe(200);
    expect((await api.apply(FILE)).body.applied).toMatchObject([{ action: 'delete', name: 'By hand' }]);
  });

  it('renames an object that it names with its former name', async () => {
    const [crm, ...others] = FILE.integrations;
    const renamed = {
      ...FILE,
      integrations: [{ ...crm, name: 'hubspot', formerName: 'crm' }, ...others],
      polls: [{ ...FILE.polls[0], integration: 'hubspot' }],
    };
    const before = (await api.get('/v1/integrations')).body.integrations;
    const planned = (await api.plan(renamed)).body;
    expect(planned.changes).toMatchObject([
      {
        action: 'update',
        type: 'integration',
        name: 'hubspot',
        fields: [{ path: 'name', from: 'crm', to: 'hubspot' }],
      },
    ]);
    expect((await api.apply(renamed)).status).toBe(200);
    expect((await api.plan(renamed)).body.changes).toEqual([]);
    const after = (await api.get('/v1/integrations')).body.integrations;
    expect(after.map(({ id }: { id: string }) => id)).toEqual(before.map(({ id }: { id: string }) => id));
  });

  it('empties a project of what it managed when it lists nothing', async () => {
    expect((await api.apply({ version: 1 })).body.summary).toEqual({ create: 0, update: 0, delete: 6 });
    expect((await api.get('/v1/integrations')).body.integrations).toEqual([]);
  });
});
