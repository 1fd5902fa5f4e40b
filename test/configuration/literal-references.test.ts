import fc from 'fast-check';
import { stringify } from 'yaml';
import { exportDocument } from '../../src/configuration/export-document.ts';
import { OBJECT_KINDS } from '../../src/configuration/objects.ts';
import { listReferences } from '../../src/configuration/references.ts';
import { substitute } from '../../src/configuration/substitution.ts';
import { writeYamlDocument } from '../../src/configuration/yaml/write-document.ts';
import {
  type ConfigurationStage,
  createApi,
  SCOPES,
  startConfigurationStage,
} from './configuration-stage.ts';

const SECRET = 'a secret of whoever applies the file';
const SECRETS = { SECRET, A: SECRET, 'file:a/b': SECRET };
const PARTS = ['$', '$$', '{env:', '{file:', '}', 'A', `\${env:A}`, `\${file:a/b}`, `$\${env:A}`];
/** Texts that read like references, nearly do, or hold one. */
const text = fc
  .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''));

it('whatever a field of an object says, an export says it, and names no reference', () => {
  const texts = fc.oneof(text, fc.string());
  const definitions = fc.object({ key: texts, values: [texts, fc.integer()], maxDepth: 3 });
  fc.assert(
    fc.property(texts, definitions, (name, definition) => {
      const kind = 'customProvider' as const;
      const object = { kind, name, id: 'a', fields: { definition }, secrets: new Map(), version: 1 };
      const state = { objects: [object], managed: [], managedById: new Map(), hash: '' };
      const value = exportDocument(state, OBJECT_KINDS);
      const faultAt = (path: readonly (string | number)[], message: string) => ({
        path: path.join('.'),
        message,
      });
      const read = substitute({ value, faultAt }, new Map(Object.entries({ 'env:A': SECRET })));
      expect(listReferences(value)).toEqual([]);
      expect(read.faults).toEqual([]);
      expect(read.value).toEqual({ version: 1, customProviders: [{ name, definition }] });
    }),
  );
});

describe('texts that read like references', () => {
  let stage: ConfigurationStage;
  let api: ConfigurationStage['api'];

  beforeAll(async () => {
    stage = await startConfigurationStage({ env: { RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0' } });
    api = stage.api;
  });
  afterAll(() => stage?.gateway.stop());

  async function send(method: string, path: string, body: object) {
    const { status, body: answer, text: said } = await api.send(method, path, body);
    expect([status < 300, status < 300 ? '' : said]).toEqual([true, '']);
    return answer;
  }

  async function makeObjects() {
    const projectId = stage.project.id;
    const entries = [{ type: 'gateway_access', provider: 'hubspot', access: 'read' }];
    await send('POST', '/v1/providers', {
      ...{ projectId, id: 'acme', name: 'Acme', category: 'crm', auth: 'api-key' },
      apiBaseUrl: 'https://acme.example/api',
      apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
      variables: { region: { from: 'integration', title: 'Region', description: 'Of ours' } },
      apiHeaders: { 'X-Region': '{region}' },
    });
    const own = { serviceProvider: 'custom:acme', variables: { region: 'eu' } };
    const crm = { serviceProvider: 'hubspot', clientId: 'c', clientSecret: 's', scopes: SCOPES };
    const { id: integrationId } = await send('POST', '/v1/integrations', crm);
    const poll = { integrationId, resource: 'contacts', intervalSeconds: 300 };
    const destination = { url: 'https://app.example.com/events', types: ['*'] };
    const made = {
      own: await send('POST', '/v1/integrations', own),
      poll: await send('POST', '/v1/polls', poll),
      destination: await send('POST', '/v1/event-destinations', destination),
      mandate: await send('POST', `/v1/projects/${projectId}/mandates`, { name: 'a', entries }),
    };
    return {
      [`/v1/projects/${projectId}`]: (said: string) => ({ name: said, branding: { displayName: said } }),
      [`/v1/projects/${projectId}/mandates/${made.mandate.id}`]: (said: string) => ({ name: said }),
      [`/v1/providers/custom:acme?projectId=${projectId}`]: (said: string) => ({
        name: said,
        notes: [said],
        credentialHint: said,
      }),
      [`/v1/integrations/${integrationId}`]: (said: string) => ({
        name: said,
        clientId: said,
        settings: { authorizationParams: { hint: said }, readingTools: [said] },
        disabled: { reason: said },
      }),
      [`/v1/integrations/${made.own.id}`]: (said: string) => ({ name: said, variables: { region: said } }),
      [`/v1/polls/${made.poll.id}`]: (said: string) => ({ fields: [said] }),
      [`/v1/event-destinations/${made.destination.id}`]: (said: string) => ({
        description: said,
        tags: { plan: said },
      }),
    };
  }

  it('come back from an export as they were, as an object and as YAML', async () => {
    const changes = Object.entries(await makeObjects());
    await fc.assert(
      fc.asyncProperty(text, async (said) => {
        for (const [path, change] of changes) await send('PATCH', path, change(said));
        const { configuration, yaml } = (await api.export()).body;
        for (const file of [configuration, yaml]) {
          const planned = await api.plan(file, {});
          expect([planned.status, planned.body.errors, planned.body.changes]).toEqual([200, undefined, []]);
        }
        expect((await api.plan(yaml, { secrets: SECRETS })).text).not.toContain(SECRET);
      }),
      { numRuns: 6, examples: [[`\${env:SECRET}`], [`$$\${env:A}`], [`a \${file:a/b}`]] },
    );
  });

  it('of a key with less rights are no reference to a secret of who applies the export', async () => {
    const { project, gateway } = stage;
    const keyPath = `/v1/projects/${project.id}/api-keys`;
    const asOwner = createApi(gateway.url, project, project.personalAccessToken);
    const made = await asOwner.send('POST', keyPath, { name: 'weak', scopes: ['mandates'] });
    const weak = createApi(gateway.url, project, made.body.key);
    const entries = [{ type: 'gateway_access', provider: 'hubspot', access: 'read' }];
    const path = `/v1/projects/${project.id}/mandates`;
    expect((await weak.send('POST', path, { name: `\${env:SECRET}`, entries })).status).toBe(201);
    const { yaml } = (await api.export()).body;
    expect(yaml).toContain(`name: $\${env:SECRET}`);
    expect((await api.apply(yaml, { secrets: SECRETS })).status).toBe(200);
    const { text: seen } = await weak.get(path);
    expect(seen).toContain(`"\${env:SECRET}"`);
    expect(seen).not.toContain(SECRET);
    expect((await api.drift()).body.drifted).toBe(false);
  });

  it('are not made of the names of objects: no export asks for a variable that is set for something else', async () => {
    const projectId = stage.project.id;
    await send('POST', '/v1/providers', {
      ...{ projectId, id: 'aws', name: 'AWS', category: 'crm', auth: 'api-key' },
      apiBaseUrl: 'https://other.example/api',
      apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
      variables: { secretKey: { from: 'integration', title: 'Key', description: 'Ours', secret: true } },
      apiHeaders: { 'X-Own': '{secretKey}' },
    });
    await send('POST', '/v1/integrations', { serviceProvider: 'custom:aws', variables: { secretKey: 'k' } });
    const { configuration } = (await api.export()).body;
    expect(listReferences(configuration)).toContain('env:SECRET_OF_AWS_SECRET_KEY');
    for (const reference of listReferences(configuration)) expect(reference).toMatch(/^env:SECRET_OF_/);
  });

  it('are no secret either', async () => {
    const integration = { name: 'x', serviceProvider: 'hubspot', clientId: 'c', scopes: SCOPES };
    const planned = await api.plan({ integrations: [{ ...integration, clientSecret: `$\${env:SECRET}` }] });
    expect([planned.status, planned.body.errors]).toMatchObject([
      400,
      [{ path: 'configuration.integrations.0.clientSecret' }],
    ]);
  });
});

describe('an export in YAML', () => {
  it('is the same text as one that is written at once, whatever it holds', async () => {
    const texts = fc.oneof(text, fc.string(), fc.constantFrom('', ' ', '- a\n- b\n', 'a: |\n', '#'));
    const objects = fc.object({ key: texts, values: [texts, fc.integer(), fc.constant(null)], maxDepth: 3 });
    const sections = fc.dictionary(texts, fc.oneof(fc.array(objects), fc.array(texts), objects, texts));
    await fc.assert(
      fc.asyncProperty(sections, async (document) => {
        const whole = { version: 1, ...document };
        const options = { lineWidth: 0, aliasDuplicateObjects: false };
        expect(await writeYamlDocument(whole)).toBe(stringify(whole, options));
      }),
    );
  });

  it('leaves other work its turn while a long one is written', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    const entries = Array.from({ length: 32 }, (_, at) => ({ paths: [`/${at}/${'x'.repeat(150)}`] }));
    await writeYamlDocument({ mandates: Array.from({ length: 300 }, () => ({ entries })) });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
  });
});
