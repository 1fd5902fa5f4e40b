import { randomBytes } from 'node:crypto';
import { crc32c } from '../../../src/platform/kms/crc32c.ts';
import { KmsError } from '../../../src/platform/kms/kms.ts';
import type { Trouble } from '../../support/kms-server.ts';
import { ARN, AWS_KEYS, open, RESOURCE, startServices } from './kms-stage.ts';

type Stage = Awaited<ReturnType<typeof startServices>>;

let stage: Stage;
beforeAll(async () => {
  stage = await startServices();
});
afterEach(() => {
  for (const { trouble } of Object.values(stage.services))
    Object.assign(trouble, { now: undefined, times: Infinity });
});
afterAll(() => stage.close());

const NAMES = ['aws', 'gcp', 'azure', 'vault'] as const;
const HERE = { deployment: 'production', keyId: 'kms0123456789ab' };
const openFirst = (name: (typeof NAMES)[number]) => {
  const { entry, variables } = stage.entries[name];
  return open(entry, variables);
};
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => {
      throw new Error('the service gave a key');
    },
    (error: unknown) => {
      expect(error).toBeInstanceOf(KmsError);
      return error as KmsError;
    },
  );

describe.each(NAMES)('a key that %s wraps', (name) => {
  it('comes back as it was, and the service was not shown it in the clear elsewhere', async () => {
    const kms = openFirst(name);
    const key = randomBytes(32);
    const wrapped = await kms.wrap(key, HERE);
    expect(wrapped).not.toContain(key.toString('base64'));
    expect(await kms.wrap(key, HERE)).not.toBe(wrapped);
    expect((await openFirst(name).unwrap(wrapped, HERE)).equals(key)).toBe(true);
  });

  it('is not unwrapped for another installation, for another key, or changed', async () => {
    const kms = openFirst(name);
    const wrapped = await kms.wrap(randomBytes(32), HERE);
    const changed = `${wrapped.slice(0, -8)}${wrapped.endsWith('AAAAAAA=') ? 'BBBBBBBB' : 'AAAAAAA='}`;
    for (const [text, context] of [
      [wrapped, { ...HERE, deployment: 'staging' }],
      [wrapped, { ...HERE, keyId: 'kmsba9876543210' }],
      [changed, HERE],
      ['', HERE],
    ] as const) {
      expect((await refusalOf(kms.unwrap(text, context))).isTransient).toBe(false);
    }
  });

  it.each([
    ['busy', true],
    ['refuses', false],
    ['garbage', true],
    ['huge', true],
    ['cut', true],
  ] as const)('is not had from a service that is or does: %s', async (trouble: Trouble, isTransient) => {
    const kms = openFirst(name);
    const key = randomBytes(32);
    const service = stage.services[name];
    const wrapped = await kms.wrap(key, HERE);
    service.trouble.now = trouble;
    const error = await refusalOf(kms.unwrap(wrapped, HERE));
    expect(error.isTransient).toBe(isTransient);
    const sent = service.requests.flatMap((request) => [
      request.field('authorization'),
      request.field('x-vault-token'),
      request.body.toString(),
    ]);
    for (const secret of sent.filter((text) => text !== ''))
      expect(String(error.stack)).not.toContain(secret);
  });
});

describe('a service', () => {
  it('that does not answer at all is given up after five seconds', async () => {
    stage.services.vault.trouble.now = 'silent';
    const error = await refusalOf(openFirst('vault').wrap(randomBytes(32), HERE));
    expect(error.message).toContain('within 5000 ms');
    expect(error.isTransient).toBe(true);
  });

  it('where nothing listens is called unreachable, by its origin alone', async () => {
    const kms = open('vault-transit:transit/kek', {
      VAULT_ADDR: 'http://127.0.0.1:1/?token=x',
      VAULT_TOKEN: 'hvs.s',
    });
    const error = await refusalOf(kms.wrap(randomBytes(32), HERE));
    expect(error).toMatchObject({ isTransient: true, message: expect.stringContaining('ECONNREFUSED') });
    expect(error.message).not.toContain('token=x');
  });

  it('that gives another key, or none of 32 bytes, is not believed', async () => {
    const { vault } = stage.services;
    const wrapped = await openFirst('vault').wrap(randomBytes(16), HERE);
    expect((await refusalOf(openFirst('vault').unwrap(wrapped, HERE))).message).toContain('no key');
    expect(vault.requests.length).toBeGreaterThan(0);
  });

  it('whose message was damaged on its way is not believed', async () => {
    const { gcp } = stage.services;
    const wrapped = await openFirst('gcp').wrap(randomBytes(32), HERE);
    gcp.state.damages = true;
    expect((await refusalOf(openFirst('gcp').wrap(randomBytes(32), HERE))).message).toContain('checksum');
    expect((await refusalOf(openFirst('gcp').unwrap(wrapped, HERE))).message).toContain('checksum');
    gcp.state.damages = false;
  });

  it('is asked with the version of the key that wrapped', async () => {
    const { azure } = stage.services;
    const key = randomBytes(32);
    const wrapped = await openFirst('azure').wrap(key, HERE);
    azure.rotate();
    expect((await openFirst('azure').unwrap(wrapped, HERE)).equals(key)).toBe(true);
    expect(await openFirst('azure').wrap(key, HERE)).toMatch(new RegExp(`^${azure.latest()}\\.`));
  });
});

describe('credentials', () => {
  const roundTrip = async (entry: string, variables: Record<string, string>) => {
    const kms = open(entry, variables);
    const key = randomBytes(32);
    expect((await kms.unwrap(await kms.wrap(key, HERE), HERE)).equals(key)).toBe(true);
  };

  it('of AWS come from the container, a web identity, or the instance, and are asked for once', async () => {
    const { aws } = stage.services;
    const address = { AWS_ENDPOINT_URL_KMS: aws.url };
    const before = aws.requests.length;
    await roundTrip(`aws-kms:${ARN}`, {
      ...address,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${aws.url}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: stage.file('container', 'container-token\n'),
    });
    expect(aws.requests.length - before).toBe(3);
    await roundTrip(`aws-kms:${ARN}`, {
      ...address,
      AWS_ENDPOINT_URL_STS: `${aws.url}/sts`,
      AWS_WEB_IDENTITY_TOKEN_FILE: stage.file('web', 'web-identity'),
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/gateway',
    });
    await roundTrip(`aws-kms:${ARN}`, { ...address, AWS_EC2_METADATA_SERVICE_ENDPOINT: aws.url });
  });

  it('of AWS are not asked for in the clear on another host than the container has', async () => {
    const kms = open(`aws-kms:${ARN}`, {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://metadata.example.com/container',
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'container-token',
    });
    expect((await refusalOf(kms.wrap(randomBytes(32), HERE))).message).toContain('FULL_URI');
  });

  it('of AWS that are wrong are refused by the service', async () => {
    const kms = open(`aws-kms:${ARN}`, {
      ...stage.entries.aws.variables,
      AWS_SECRET_ACCESS_KEY: `${AWS_KEYS.secretAccessKey}x`,
    });
    const error = await refusalOf(kms.wrap(randomBytes(32), HERE));
    expect([error.isTransient, error.message]).toEqual([
      false,
      expect.stringContaining('InvalidSignatureException'),
    ]);
  });

  it('of Google come from the machine where there is no file, and a broken file is named', async () => {
    const { gcp } = stage.services;
    const address = { CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS: `${gcp.url}/` };
    await roundTrip(`gcp-kms:${RESOURCE}`, { ...address, GCE_METADATA_HOST: new URL(gcp.url).host });
    const broken = { ...gcp.account, private_key: 'not-a-key' };
    for (const text of ['{', JSON.stringify({ type: 'external_account' }), JSON.stringify(broken)]) {
      const GOOGLE_APPLICATION_CREDENTIALS = stage.file('broken.json', text);
      const kms = open(`gcp-kms:${RESOURCE}`, { ...address, GOOGLE_APPLICATION_CREDENTIALS });
      const { message } = await refusalOf(kms.wrap(randomBytes(32), HERE));
      expect(message).toContain('GOOGLE_APPLICATION_CREDENTIALS');
      expect(message).not.toContain('not-a-key');
    }
  });

  it('of Azure come from a workload identity, an App Service, or the machine', async () => {
    const { azure } = stage.services;
    const entry = stage.entries.azure.entry;
    await roundTrip(entry, {
      AZURE_AUTHORITY_HOST: azure.url,
      AZURE_TENANT_ID: 'tenant-1',
      AZURE_CLIENT_ID: 'client-1',
      AZURE_FEDERATED_TOKEN_FILE: stage.file('federated', 'federated-token'),
    });
    await roundTrip(entry, { IDENTITY_ENDPOINT: `${azure.url}/msi`, IDENTITY_HEADER: 'msi' });
    await roundTrip(entry, { AZURE_POD_IDENTITY_AUTHORITY_HOST: azure.url });
  });

  it('of Vault come from AppRole, Kubernetes, or a file that an agent renews', async () => {
    const { vault } = stage.services;
    const entry = stage.entries.vault.entry;
    const address = { VAULT_ADDR: vault.url };
    await roundTrip(entry, { ...address, VAULT_ROLE_ID: 'role-1', VAULT_SECRET_ID: vault.secretId });
    await roundTrip(entry, {
      ...address,
      VAULT_KUBERNETES_ROLE: 'gateway',
      VAULT_KUBERNETES_TOKEN_FILE: stage.file('jwt', 'service-account-token'),
    });
    const VAULT_TOKEN_FILE = stage.file('token', 'hvs.expired');
    const kms = open(entry, { ...address, VAULT_TOKEN_FILE });
    expect((await refusalOf(kms.wrap(randomBytes(32), HERE))).message).toContain('permission denied');
    stage.file('token', vault.tokens.now);
    expect(await kms.wrap(randomBytes(32), HERE)).toMatch(/^vault:v1:/);
  });
});

it('checksums are those of the published example', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
});
