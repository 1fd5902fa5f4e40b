import { computeEvidence } from '../../src/catalog/facts/evidence.ts';
import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import { type ProviderFile, providerFileSchema } from '../../src/catalog/schema/provider.schema.ts';

const KEYED = {
  id: 'acme',
  name: 'Acme',
  auth: 'api-key',
  apiBaseUrl: 'https://api.acme.example',
  apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
} as const;
const OAUTH = {
  id: 'acme',
  name: 'Acme',
  auth: 'oauth2',
  apiBaseUrl: 'https://api.acme.example',
  authorizationUrl: 'https://acme.example/authorize',
  tokenUrl: 'https://acme.example/token',
} as const;
const DATE = '2026-11-24';
const NANGO = 'https://github.com/NangoHQ/nango';
const N8N = 'n8n-nodes-base@2.41.2';

type Group = 'endpoints' | 'apiBase' | 'keyPlacement' | 'webhooks';

function labelOf(file: object, ...sources: readonly [from: string, says: readonly Group[], by?: 'vendor'][]) {
  return computeEvidence(
    providerFileSchema.parse({
      ...file,
      sources: sources.map(([from, says, by]) => ({ from, says, date: DATE, ...(by && { by }) })),
    }),
  );
}

describe('a source that knows of one host', () => {
  const sources = [{ from: N8N, says: ['apiBase', 'oneHost'], date: DATE }];
  const load = (file: object) => providerFromFile(file, { allowPrivateNetworks: false });

  it('leaves the label as it is', () => {
    expect(load({ ...KEYED, sources })).toMatchObject({ ok: true, provider: { evidence: 'transcribed' } });
  });

  it('is a fault in a file that has further hosts', () => {
    const hosts = { files: { url: 'https://files.acme.example', serves: 'Files' } };
    expect(load({ ...KEYED, sources, hosts })).toMatchObject({
      ok: false,
      faults: [{ path: ['sources'], reason: expect.stringContaining('oneHost') }],
    });
  });
});

describe('how far the sources of a file confirm it', () => {
  it('is several sources where two agree on the base and the place of a key', () => {
    expect(labelOf(KEYED, [NANGO, ['apiBase', 'keyPlacement']], [N8N, ['apiBase', 'keyPlacement']])).toBe(
      'several-sources',
    );
    expect(labelOf(KEYED, [NANGO, ['apiBase', 'keyPlacement']], [N8N, ['apiBase']])).toBe('one-source');
    expect(labelOf(KEYED, [NANGO, ['apiBase', 'keyPlacement']])).toBe('transcribed');
  });

  it('is several sources for a log-in only where the API base or the place of the token agrees as well', () => {
    expect(labelOf(OAUTH, [NANGO, ['endpoints', 'apiBase']], [N8N, ['endpoints']])).toBe('one-source');
    expect(labelOf(OAUTH, [NANGO, ['endpoints', 'apiBase']], [N8N, ['endpoints', 'apiBase']])).toBe(
      'several-sources',
    );
    expect(labelOf(OAUTH, [NANGO, ['apiBase', 'webhooks']], [N8N, ['apiBase', 'webhooks']])).toBe(
      'one-source',
    );
  });

  it.each([
    [
      'forks',
      'https://github.com/alan-eu/activepieces',
      'https://github.com/activepieces/activepieces/blob/x',
    ],
    ['package and repository', '@auth/core@0.41.3', 'https://github.com/nextauthjs/next-auth'],
    ['versions', 'n8n-nodes-base@1.0.0', N8N],
    [
      'rules of scanners',
      'https://github.com/mongodb/kingfisher',
      'https://github.com/trufflesecurity/trufflehog',
    ],
    ['the vendor’s pages', 'https://docs.acme.example/a', 'https://docs.acme.example/b'],
  ])('counts %s of one origin once', (_name, first, second) => {
    expect(labelOf(KEYED, [first, ['apiBase', 'keyPlacement']], [second, ['apiBase', 'keyPlacement']])).toBe(
      'transcribed',
    );
  });

  it('is documentation where the vendor says what a connection needs', () => {
    const document = 'https://acme.example/openapi.json';
    expect(labelOf(KEYED, [document, ['apiBase', 'keyPlacement'], 'vendor'])).toBe('documentation');
    expect(labelOf(OAUTH, [document, ['apiBase'], 'vendor'], [NANGO, ['endpoints', 'apiBase']])).toBe(
      'one-source',
    );
  });

  it('asks for the place of the key alone where each company has a host of its own', () => {
    const own = { ...KEYED, apiBaseUrl: 'https://{host}/api', variables: { host: {} } };
    expect(labelOf(own, [NANGO, ['keyPlacement']], [N8N, ['keyPlacement']])).toBe('several-sources');
  });

  it('takes the place of what the file says itself, where its sources say what they confirm', () => {
    const evidenceOf = (sources: ProviderFile['sources']) => {
      const loaded = providerFromFile(
        { ...KEYED, evidence: 'documentation', sources },
        { allowPrivateNetworks: false },
      );
      return loaded.ok ? loaded.provider.evidence : loaded.faults;
    };
    expect(evidenceOf(['a text of an earlier release'])).toBe('documentation');
    expect(evidenceOf([{ from: NANGO, says: ['apiBase'], date: DATE }])).toBe('transcribed');
  });
});
