import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import { providerFileSchema } from '../../src/catalog/schema/provider.schema.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/provider-files.md'), 'utf8');
const rows = [...page.matchAll(/^\| `([^`]+)` \| (.+?) \| `([^`]+)` \|$/gm)].map(
  ([, field = '', , example = '']) => ({ field, example }),
);

type Schema = z.core.JSONSchema.JSONSchema;

/** The forms that a value may have, less those that are no schema of their own. */
function formsOf(schema: z.core.JSONSchema._JSONSchema): Schema[] {
  if (typeof schema === 'boolean') return [];
  return [schema, ...(schema.anyOf ?? []).filter((form) => typeof form !== 'boolean')];
}

/** Dotted names of what a file may say; members of a map that are objects stand under `<name>`. */
function fieldsOf(schema: z.core.JSONSchema._JSONSchema, path: string): string[] {
  const shape = formsOf(schema).find(({ properties }) => properties !== undefined)?.properties;
  if (shape !== undefined) {
    return Object.entries(shape).flatMap(([name, member]) =>
      fieldsOf(member, path === '' ? name : `${path}.${name}`),
    );
  }
  const members = typeof schema === 'boolean' ? undefined : schema.additionalProperties;
  const hasObjects = formsOf(members ?? false).some(({ properties }) => properties !== undefined);
  return hasObjects ? [`${path}.<name>`, ...fieldsOf(members ?? false, `${path}.<name>`)] : [path];
}

/** Said of as a whole, since its members are those of another field. */
const ALIKE = /^(refreshRequest|account\.name)\..*$/;

/** A file in which every field of the page may stand. */
const FILE = {
  id: 'acme',
  name: 'Acme',
  auth: 'oauth2',
  apiBaseUrl: 'https://api.acme.example',
  variables: { subdomain: {} },
  apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
  accessTokenHeader: { name: 'X-Token', template: '{accessToken}' },
  callback: { signature: { parameter: 'hmac' } },
  hosts: { subdomain: { url: 'https://files.acme.example', serves: 'Files' } },
  accessTokenProof: { parameter: 'proof' },
  mcp: { url: 'https://mcp.acme.example/mcp' },
  tokenExchange: { url: 'https://acme.example/long' },
  tokenResponse: { okMember: { path: 'ok', value: true }, prolonged: { path: 'ok', value: true } },
  probe: { url: 'https://acme.example/me', refusedWhen: { path: 'x' }, acceptedWhen: { path: 'x' } },
  awsSigV4: { service: 's3', region: 'x', hosts: { subdomain: {} } },
  oauth1: { realm: { value: 'x' } },
  jwtPerCall: { alg: 'ES256', claims: {}, parts: { subdomain: { of: 'x', separator: ':', index: 0 } } },
  callRefused: { status: 400, path: 'error', values: ['x'] },
  clientCertificate: { certificate: '{certificate}', privateKey: '{privateKey}' },
  jwt: { claims: {} },
  login: {
    steps: [{ url: 'https://acme.example/login' }],
    identity: {
      ...{ url: 'https://acme.example/whoami', path: 'arn', title: 'Principal' },
      awsSigV4: { service: 'sts', region: 'x' },
    },
    refresh: { url: 'https://acme.example/renew' },
  },
  logout: { url: 'https://acme.example/logout' },
  installation: {
    variable: 'subdomain',
    list: { url: 'https://acme.example/installations', itemsPath: 'items', id: 'id' },
    pending: { parameter: 'state', value: 'x' },
  },
  account: { id: { path: 'id' }, request: { url: 'https://acme.example/me' } },
  tenants: { id: 'id', request: { url: 'https://acme.example/sites' } },
  webhooks: {
    supported: true,
    secret: { from: 'operator' },
    events: { names: { subdomain: { object: 'x', change: 'other' } } },
  },
  polls: {
    subdomain: {
      object: 'x',
      parameters: { subdomain: { description: 'x' } },
      record: { id: 'id', updatedAt: { path: 'at' }, createdAt: { path: 'at' }, deleted: { path: 'gone' } },
      success: { path: 'ok' },
      list: { request: { path: '/x' } },
      deleted: { request: { path: '/x' }, id: 'id', deletedAt: { path: 'at' }, covered: { path: 'until' } },
    },
  },
};

function withField(target: unknown, [first = '', ...rest]: string[], value: unknown): unknown {
  const held = typeof target === 'object' && target !== null ? target : {};
  const inner: unknown = Reflect.get(held, first);
  return { ...held, [first]: rest.length === 0 ? value : withField(inner, rest, value) };
}

describe('docs/provider-files.md', () => {
  it('tells of every field of the schema, and of no other, once', () => {
    const schema = z.toJSONSchema(providerFileSchema, { io: 'input', unrepresentable: 'any' });
    const fields = fieldsOf(schema, '').map((field) => field.replace(ALIKE, '$1'));
    const expected = new Set(fields.filter((field) => field !== 'account.name'));
    expect(rows.map(({ field }) => field).toSorted()).toEqual([...expected].toSorted());
  });

  it.each(rows.map(({ field, example }) => [field, example] as const))('%s may be %s', (field, example) => {
    const path = field.replaceAll('<name>', 'subdomain').split('.');
    expect(providerFileSchema.safeParse(withField(FILE, path, parse(example))).error?.issues).toBeUndefined();
  });

  it('begins with a file that loads', () => {
    const [, text = ''] = /```yaml\n([\s\S]+?)```/.exec(page) ?? [];
    expect(providerFromFile(parse(text), { allowPrivateNetworks: false })).toMatchObject({ ok: true });
  });
});
