import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import request from 'supertest';
import { parse } from 'yaml';
import { dryRun } from '../../src/dry-run/dry-run-provider.ts';
import type { Principal } from '../../src/http/principal.ts';
import { createProviderFilesEndpoint } from '../../src/providers/provider-files.router.ts';
import { createTestApp } from '../http/support.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const ACME = {
  id: 'custom:acme-lists',
  name: "Acme's Lists",
  category: 'crm',
  auth: 'api-key',
  apiBaseUrl: 'https://api.acme.example',
  apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
  probe: { url: 'https://api.acme.example/me' },
  credentialHint: 'It begins with acme_.',
};
const SOURCES = [
  {
    from: 'https://developer.acme.example/keys',
    says: ['apiBase', 'keyPlacement'],
    date: '2026-11-26',
    by: 'vendor',
  },
  { from: 'acme-sdk@1.2.3', says: ['probe'], date: '2026-11-27' },
];
const KEY: Principal = { kind: 'api_key', projectId: 'p', apiKeyId: 'k', scopes: ['*'] };

const { app } = createTestApp(
  [
    createProviderFilesEndpoint({
      catalog: builtInCatalog,
      options: { allowPrivateNetworks: true },
      projectToChange: async () => 'p',
      dryRunInCatalog: (provider) => dryRun(provider, 'https://gateway.example'),
    }),
  ],
  { authenticate: async () => KEY },
);

const ask = (description: object, sources: object[] = SOURCES) =>
  request(app).post('/v1/provider-files').set('Authorization', 'Bearer key').send({ description, sources });
const faultsOf = ({ body }: request.Response) =>
  body.errors.map(({ path, message }: { path: string; message: string }) => `${path}: ${message}`);

describe('POST /v1/provider-files', () => {
  it('answers the file that was described, under its own id, with its sources and the day of the latest', async () => {
    const { body } = await ask({ ...ACME, evidence: 'documentation', sources: ['hearsay'] }).expect(200);
    expect(body.provider.path).toBe('src/catalog/providers/acme-lists.yaml');
    expect(parse(body.provider.content)).toEqual({
      ...ACME,
      id: 'acme-lists',
      checked: '2026-11-27',
      sources: SOURCES,
    });
    expect(body.provider.content).toMatch(/^id: acme-lists\nname: Acme's Lists\n/);
    expect(body.provider.content).toContain(
      '\n  - { from: acme-sdk@1.2.3, says: [ probe ], date: 2026-11-27 }\n\n',
    );
    expect(body.evidence).toBe('documentation');
  });

  it('answers a test that holds the requests of the dry run at a gateway of no name', async () => {
    const { body } = await ask(ACME).expect(200);
    expect(body.test.path).toBe('test/catalog/contributed/acme-lists.test.ts');
    expect(body.test.content).toContain("X-Key': '<apiKey>'");
    expect(body.test.content).toContain('it("Acme\'s Lists is sent what');
    expect(body.test.content).not.toContain('custom:');
  });

  it('refuses what the catalog would: local addresses, no proof of a key, an id that is taken, no source', async () => {
    const local = { ...ACME, apiBaseUrl: 'http://10.0.0.1', probe: { url: 'http://10.0.0.1/me' } };
    expect(faultsOf(await ask(local).expect(400)).join()).toMatch(/body\.description\.apiBaseUrl: /);
    const { probe: _probe, ...unproven } = ACME;
    expect(faultsOf(await ask(unproven).expect(400)).join()).toMatch(/prove|probe/);
    expect(faultsOf(await ask({ ...ACME, id: 'hubspot' }).expect(400))).toEqual([
      'body.description.id: is in the catalog: change its file instead',
    ]);
    const { credentialHint: _hint, ...unexplained } = ACME;
    expect(faultsOf(await ask(unexplained).expect(400)).join()).toContain('body.description.credentialHint');
    const steps = { ...ACME, setupSteps: ['Open the portal.'] };
    expect(faultsOf(await ask(steps).expect(400)).join()).toContain('body.description.setupSteps');
    expect(faultsOf(await ask(ACME, []).expect(400)).join()).toContain('body.sources');
    const [source] = SOURCES;
    expect(faultsOf(await ask(ACME, [{ ...source, from: 'a friend' }]).expect(400)).join()).toContain(
      'body.sources.0.from',
    );
  });

  it('refuses a member that provider files do not know, by its name', async () => {
    const reply = await ask({ ...ACME, colour: 'red' }).expect(400);
    expect(faultsOf(reply)).toEqual([expect.stringContaining('colour')]);
  });

  it('writes no text that ends its literal, whatever the provider is called', async () => {
    const names = fc.asyncProperty(
      fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }),
      async (text) => {
        const { status, body } = await ask({ ...ACME, name: text });
        if (status !== 200) return;
        const [, title = ''] = /^it\((.+), async \(\) => \{$/m.exec(body.test.content) ?? [];
        expect(runInNewContext(title)).toBe(
          `${text} is sent what its contributor has compared with its documentation`,
        );
        expect(parse(body.provider.content).name).toBe(text);
      },
    );
    await fc.assert(names, { numRuns: 20 });
  });
});
