import { randomBytes } from 'node:crypto';
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { CryptographyClient } from '@azure/keyvault-keys';
import { v1 } from '@google-cloud/kms';
import createVaultClient from 'node-vault';
import { contextBytes, describeContext } from '../src/platform/kms/kms.ts';
import { ARN, AWS_KEYS, open, RESOURCE, startServices } from '../test/platform/kms/kms-stage.ts';

let stage: Awaited<ReturnType<typeof startServices>>;
beforeAll(async () => {
  stage = await startServices();
});
afterAll(() => stage.close());

const HERE = { deployment: 'production', keyId: 'kms0123456789ab' };
const ours = (name: 'aws' | 'gcp' | 'azure' | 'vault') => {
  const { entry, variables } = stage.entries[name];
  return open(entry, variables);
};

describe('the tests’ service works with its maker’s own client, which understands the gateway:', () => {
  it('AWS KMS', async () => {
    const client = new KMSClient({
      region: 'eu-central-1',
      endpoint: stage.services.aws.url,
      credentials: AWS_KEYS,
      maxAttempts: 1,
    });
    const EncryptionContext = { ...describeContext(HERE) };
    const key = randomBytes(32);
    const theirs = await client.send(new EncryptCommand({ KeyId: ARN, Plaintext: key, EncryptionContext }));
    const blob = Buffer.from(theirs.CiphertextBlob ?? []);
    expect((await ours('aws').unwrap(blob.toString('base64'), HERE)).equals(key)).toBe(true);
    const CiphertextBlob = Buffer.from(await ours('aws').wrap(key, HERE), 'base64');
    const decrypt = (input: { EncryptionContext?: Record<string, string> }) =>
      client.send(new DecryptCommand({ KeyId: ARN, CiphertextBlob, ...input }));
    expect(Buffer.from((await decrypt({ EncryptionContext })).Plaintext ?? []).equals(key)).toBe(true);
    await expect(decrypt({})).rejects.toMatchObject({ name: 'InvalidCiphertextException' });
  });

  it('Google Cloud KMS', async () => {
    const { account, url } = stage.services.gcp;
    const client = new v1.KeyManagementServiceClient({
      fallback: true,
      protocol: 'http',
      apiEndpoint: '127.0.0.1',
      port: Number(new URL(url).port),
      credentials: { client_email: account.client_email, private_key: String(account.private_key) },
    });
    const additionalAuthenticatedData = contextBytes(HERE);
    const key = randomBytes(32);
    const [theirs] = await client.encrypt({ name: RESOURCE, plaintext: key, additionalAuthenticatedData });
    const ciphertext = Buffer.from(theirs.ciphertext ?? '');
    expect((await ours('gcp').unwrap(ciphertext.toString('base64'), HERE)).equals(key)).toBe(true);
    const wrapped = Buffer.from(await ours('gcp').wrap(key, HERE), 'base64');
    const [back] = await client.decrypt({ name: RESOURCE, ciphertext: wrapped, additionalAuthenticatedData });
    expect(Buffer.from(back.plaintext ?? '').equals(key)).toBe(true);
    await expect(client.decrypt({ name: RESOURCE, ciphertext: wrapped })).rejects.toThrow();
    await client.close();
  });

  it('Azure Key Vault', async () => {
    const { azure } = stage.services;
    const client = new CryptographyClient(
      `${azure.url}/keys/kek/${azure.latest()}`,
      { getToken: async () => ({ token: azure.token, expiresOnTimestamp: Date.now() + 3_600_000 }) },
      { allowInsecureConnection: true, disableChallengeResourceVerification: true },
    );
    const wrapped = await ours('azure').wrap(randomBytes(32), HERE);
    const { result } = await client.unwrapKey(
      'RSA-OAEP-256',
      Buffer.from(wrapped.split('.')[1] ?? '', 'base64url'),
    );
    const again = await client.wrapKey('RSA-OAEP-256', result);
    const text = `${azure.latest()}.${Buffer.from(again.result).toString('base64url')}`;
    expect((await ours('azure').unwrap(text, HERE)).equals(Buffer.from(result.subarray(32)))).toBe(true);
    const paths = azure.requests.map(({ url }) => url.pathname.split('/').at(-1));
    expect(paths.filter((path) => path === 'unwrapkey').length).toBeGreaterThan(1);
  });

  it('Vault', async () => {
    const { vault } = stage.services;
    const client = createVaultClient({ endpoint: vault.url, token: vault.tokens.now });
    const bound = { name: 'kek', associated_data: contextBytes(HERE).toString('base64') };
    const key = randomBytes(32);
    const theirs = await client.encryptData({ ...bound, plaintext: key.toString('base64') });
    expect((await ours('vault').unwrap(theirs.data.ciphertext, HERE)).equals(key)).toBe(true);
    const ciphertext = await ours('vault').wrap(key, HERE);
    const { data } = await client.decryptData({ ...bound, ciphertext });
    expect(data.plaintext).toBe(key.toString('base64'));
    await expect(client.decryptData({ name: 'kek', ciphertext })).rejects.toThrow('authentication failed');
  });
});
