import { callApi, callApiOk, seedOperator } from '../support/gateway.ts';
import {
  type ConfigurationStage,
  createApi,
  FILE,
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

const YAML = `version: 1
integrations:
  - name: crm
    serviceProvider: hubspot
    clientId: client-of-crm
    clientSecret: \${env:CRM_SECRET}
    scopes: [oauth]
`;

const faultsOf = async (configuration: unknown, more: object = { secrets: SECRETS }) => {
  const { status, body } = await api.plan(configuration, more);
  return [status, body.errors];
};

describe('a file as text', () => {
  it('is taken in the body, and as the body', async () => {
    const asMember = await api.plan(YAML);
    const response = await fetch(`${stage.gateway.url}${api.path}/plan`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.project.apiKey}`, 'content-type': 'application/yaml' },
      body: YAML,
    });
    const asBody = await response.json();
    expect(asBody.changes).toEqual(asMember.body.changes);
    expect(asBody.unverifiedSecrets).toEqual([`\${env:CRM_SECRET}`]);
  });

  it('has its faults told with line and column', async () => {
    expect(await faultsOf(YAML.replace('scopes: [oauth]', 'scope: [oauth]'))).toEqual([
      400,
      [
        {
          path: 'configuration.integrations.0.scope',
          message: 'Not a known name here. Did you mean `scopes`?',
          line: 7,
          column: 12,
        },
      ],
    ]);
    expect(await faultsOf(YAML.replace('[oauth]', '[oauth'))).toEqual([
      400,
      [{ path: 'configuration', message: expect.stringMatching(/^Not valid YAML/), line: 8, column: 1 }],
    ]);
    expect(await faultsOf(`${YAML}version: 1\n`)).toMatchObject([400, [{ line: 8, column: 1 }]]);
  });

  it('is refused where it stands for more than it is, without holding the gateway', async () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...[...'bcdefghi'].map((name, at) => {
        const before = 'abcdefgh'[at];
        return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]`;
      }),
    ].join('\n');
    const circle = 'a: &a [*a]';
    const deep = `a: ${'['.repeat(5_000)}`;
    const wide = Array.from({ length: 15_000 }, (_, at) => `k${at}: 1`).join('\n');
    for (const text of [bomb, circle, deep, wide]) {
      const { status, body } = await api.plan(text);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    }
    const large = await api.plan(`# ${'x'.repeat(300_000)}`);
    expect([large.status, large.body.code]).toEqual([400, 'invalid_request']);
    const polluting = await api.plan('__proto__: { version: 1 }\n');
    expect(polluting.status).toBe(400);
  });

  it('takes a few anchors', async () => {
    const text = `${YAML.replace('[oauth]', '&scopes [oauth]')}    optionalScopes: *scopes\n`;
    expect((await api.plan(text)).body.changes).toMatchObject([{ name: 'crm' }]);
  });
});

describe('secrets', () => {
  it('stand by reference alone, and nothing of the server is read for a caller', async () => {
    process.env.PLANTED_FOR_CONFIGURATION = 'a secret of the server';
    expect(await faultsOf(YAML.replace(`\${env:CRM_SECRET}`, 'plain'))).toMatchObject([
      400,
      [
        {
          path: 'configuration.integrations.0.clientSecret',
          message: expect.stringContaining('by reference'),
          line: 6,
        },
      ],
    ]);
    for (const reference of [
      `\${env:PLANTED_FOR_CONFIGURATION}`,
      `\${file:/etc/passwd}`,
      `\${file:/proc/self/environ}`,
    ]) {
      const text = YAML.replace(`\${env:CRM_SECRET}`, reference);
      expect((await api.plan(text, {})).body.unverifiedSecrets).toEqual([reference]);
      const applied = await api.apply(text, {});
      expect([applied.status, applied.body.errors]).toMatchObject([
        400,
        [
          {
            path: 'configuration.integrations.0.clientSecret',
            message: `The value of ${reference} is not among \`secrets\``,
          },
        ],
      ]);
      const shown = text.replace('client-of-crm', reference);
      expect(await faultsOf(shown, {})).toMatchObject([
        400,
        [{ path: 'configuration.integrations.0.clientId' }],
      ]);
    }
    delete process.env.PLANTED_FOR_CONFIGURATION;
  });

  it('may stand for values that are none, which no answer shows', async () => {
    const text = YAML.replace('client-of-crm', `\${env:CRM_CLIENT}`);
    const secrets = { ...SECRETS, CRM_CLIENT: 'the client of crm' };
    expect((await api.apply(text, { secrets })).status).toBe(200);
    expect((await api.get('/v1/integrations')).body.integrations[0].clientId).toBe('the client of crm');
    const answers = await Promise.all([
      api.export(),
      api.drift(),
      api.plan(text, { secrets: { ...secrets, CRM_CLIENT: 'another client' } }),
    ]);
    for (const { text: answer } of answers) expect(answer).not.toMatch(/the client of|another client/);
    expect(answers[2]?.body.changes[0].fields).toEqual([
      { path: 'clientId', secret: true, reference: `\${env:CRM_CLIENT}` },
    ]);
    expect((await api.plan(text, { secrets })).body.changes).toEqual([]);
    expect((await api.apply({ version: 1 })).status).toBe(200);
  });

  it('that a provider’s variables are stand by reference as well', async () => {
    const integration = {
      name: 'keyed',
      serviceProvider: 'custom:keyed',
      variables: { partnerKey: 'plain' },
    };
    const file = {
      customProviders: [
        {
          name: 'keyed',
          definition: {
            name: 'Keyed',
            category: 'crm',
            auth: 'api-key',
            apiBaseUrl: 'https://keyed.example/api',
            apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
            variables: {
              partnerKey: { from: 'integration', title: 'Partner key', description: 'Of ours', secret: true },
            },
            apiHeaders: { 'X-Partner': '{partnerKey}' },
          },
        },
      ],
      integrations: [integration],
    };
    const refused = await api.plan(file);
    expect([refused.status, refused.body.errors]).toMatchObject([
      400,
      [{ path: 'configuration.integrations.0.variables.partnerKey' }],
    ]);
    const own = {
      ...file,
      integrations: [{ ...integration, variables: { partnerKey: `\${env:PARTNER_KEY}` } }],
    };
    const secrets = { PARTNER_KEY: 'the key of a partner' };
    const applied = await api.apply(own, { secrets });
    expect([applied.status, applied.text]).toEqual([200, expect.not.stringContaining('the key of')]);
    expect((await api.plan(own, { secrets })).body.changes).toEqual([]);
    expect((await api.plan(own, { secrets: { PARTNER_KEY: 'another key' } })).body.changes).toMatchObject([
      { name: 'keyed', fields: [{ path: 'variables.partnerKey', secret: true }] },
    ]);
    expect((await api.apply({})).status).toBe(200);
  });
});

describe('overlays', () => {
  it('are laid over the file by the names of objects', async () => {
    const overlay =
      'destinations:\n  - { name: events, url: "https://staging.example.com/events" }\n  - { name: gone, $delete: true }\n';
    const more = {
      overlays: [overlay, { project: { limits: { proxyCallsPerMinute: 5 } } }],
      secrets: SECRETS,
    };
    const file = {
      ...FILE,
      destinations: [...FILE.destinations, { name: 'gone', url: 'https://gone.example.com', types: ['*'] }],
    };
    expect((await api.apply(file, more)).status).toBe(200);
    const { eventDestinations } = (await api.get('/v1/event-destinations')).body;
    expect(eventDestinations).toMatchObject([
      { url: 'https://staging.example.com/events', types: ['hubspot.*'], description: 'Ours' },
    ]);
    expect((await api.get(`/v1/projects/${stage.project.id}`)).body.limits).toEqual({
      proxyCallsPerMinute: 5,
    });
    expect((await api.plan(file, more)).body.changes).toEqual([]);
    const faulty = await api.plan(file, {
      ...more,
      overlays: ['destinations:\n  - { name: events, order: x }\n'],
    });
    expect(faulty.body.errors).toMatchObject([{ path: 'overlays.0.destinations.0.order', line: 2 }]);
  });
});

describe('who may', () => {
  const pat = () => stage.project.personalAccessToken;

  it('apply by a key is who has the scope for it, and members are for operators alone', async () => {
    const keyPath = `/v1/projects/${stage.project.id}/api-keys`;
    const body = { name: 'reads', scopes: ['configuration:read'] };
    const { key } = await callApiOk(stage.gateway.url, 'POST', keyPath, { bearer: pat(), body });
    const reader = createApi(stage.gateway.url, stage.project, key);
    const planned = await reader.plan(
      { version: 1, integrations: FILE.integrations },
      { secrets: { 'env:CRM_SECRET': 'a guess' } },
    );
    expect(planned.body.unverifiedSecrets).toContain(`\${env:CRM_SECRET}`);
    expect(planned.body.changes.find(({ name }: { name: string }) => name === 'crm')).toBeUndefined();
    const refused = await reader.call('apply', { configuration: FILE, stateHash: planned.body.stateHash });
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
    expect((await api.export()).body.configuration.members).toBeUndefined();
  });

  it('invite by a file is an operator, who waits for nobody to accept', async () => {
    const operator = createApi(stage.gateway.url, stage.project, pat());
    const { members } = (await operator.export()).body.configuration;
    expect(members).toEqual([{ email: 'owner@example.test', role: 'owner' }]);
    const file = { ...FILE, members: [...members, { email: 'Grace@example.test', role: 'viewer' }] };
    expect((await operator.apply(file)).status).toBe(200);
    expect((await operator.plan(file)).body.changes).toEqual([]);
    expect((await operator.drift()).body.drifted).toBe(false);
    const path = `/v1/projects/${stage.project.id}/invitations`;
    expect((await callApiOk(stage.gateway.url, 'GET', path, { bearer: pat() })).invitations).toMatchObject([
      { email: 'grace@example.test', role: 'viewer' },
    ]);
    expect((await operator.apply({ ...file, members })).body.applied).toMatchObject([
      { action: 'delete', type: 'member' },
    ]);
    const withoutOwner = await operator.apply({
      ...file,
      members: [{ email: 'owner@example.test', role: 'viewer' }],
    });
    expect([withoutOwner.status, withoutOwner.body.errors]).toEqual([
      400,
      [{ path: 'configuration.members.0.role', message: expect.stringContaining('The last owner') }],
    ]);
    const unlisted = await operator.plan({ ...file, members: [{ email: 'g@example.test', role: 'owner' }] });
    expect([unlisted.status, unlisted.body.errors]).toMatchObject([400, [{ path: 'configuration.members' }]]);
  });

  it('see another project is nobody of this one', async () => {
    const stranger = createApi(
      stage.gateway.url,
      stage.project,
      await seedOperator(stage.gateway.databaseUrl ?? ''),
    );
    for (const answer of [await stranger.export(), await stranger.plan(FILE), await stranger.drift()])
      expect([answer.status, answer.body.code]).toEqual([404, 'project_not_found']);
  });
});

it('the schema of files is open to editors', async () => {
  const { status, headers, body } = await callApi(stage.gateway.url, 'GET', '/v1/configuration/schema');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  const text = JSON.stringify(body);
  expect(text).toContain('customProviders');
  // Validators refuse a schema with formats that they do not know.
  const formats = new Set(Array.from(text.matchAll(/"format":"([^"]+)"/g), ([, format]) => format));
  expect([...formats].toSorted()).toEqual(['email', 'uri', 'uuid']);
});
