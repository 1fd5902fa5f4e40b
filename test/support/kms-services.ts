import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import jwt from 'jsonwebtoken';
import { crc32c } from '../../src/platform/kms/crc32c.ts';
import { createServiceKey } from './kms-crypto.ts';
import { type Answer, type KmsRequest, startKmsServer } from './kms-server.ts';
import { sigV4Fault } from './sigv4-verifier.ts';

type Tls = Parameters<typeof startKmsServer>[1];

export type AwsKeys = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

/** AWS KMS: Encrypt and Decrypt with one key, signed calls alone; and the endpoints that give temporary credentials. */
export async function startAwsKms(arn: string, keys: AwsKeys, tls?: Tls) {
  const key = createServiceKey();
  const expected = { ...keys };
  const refuse = (type: string): Answer => ({ status: 400, body: { __type: type, message: 'no' } });
  const temporary = () => ({
    ...{ AccessKeyId: expected.accessKeyId, SecretAccessKey: expected.secretAccessKey },
    ...{ Token: expected.sessionToken, Expiration: new Date(Date.now() + 3_600_000).toISOString() },
  });

  function give(request: KmsRequest): Answer | undefined {
    if (request.url.pathname === '/container')
      return request.field('authorization') === 'container-token'
        ? { status: 200, body: temporary() }
        : { status: 401 };
    if (request.url.pathname === '/latest/api/token')
      return request.method === 'PUT' ? { status: 200, body: 'imds-token' } : { status: 405 };
    if (request.url.pathname.startsWith('/latest/meta-data/iam/security-credentials/')) {
      if (request.field('x-aws-ec2-metadata-token') !== 'imds-token') return { status: 401 };
      const isRole = request.url.pathname.endsWith('/gateway-role');
      return { status: 200, body: isRole ? temporary() : 'gateway-role\n' };
    }
    if (request.url.pathname !== '/sts') return undefined;
    if (request.form().get('WebIdentityToken') !== 'web-identity') return refuse('InvalidIdentityToken');
    const { AccessKeyId, SecretAccessKey, Token: SessionToken, Expiration } = temporary();
    const Credentials = {
      AccessKeyId,
      SecretAccessKey,
      SessionToken,
      Expiration: Date.parse(Expiration) / 1000,
    };
    const result = { AssumeRoleWithWebIdentityResult: { Credentials } };
    return { status: 200, body: { AssumeRoleWithWebIdentityResponse: result } };
  }

  const server = await startKmsServer((request) => {
    const given = give(request);
    if (given !== undefined) return given;
    if (sigV4Fault(request, expected, 'kms') !== undefined) return refuse('InvalidSignatureException');
    const input = JSON.parse(request.body.toString());
    if (input.KeyId !== arn) return refuse('NotFoundException');
    const context = Buffer.from(JSON.stringify(Object.entries(input.EncryptionContext ?? {}).sort()));
    const plain = (text: string) => Buffer.from(text, 'base64');
    if (request.field('x-amz-target') === 'TrentService.Encrypt') {
      const blob = key.encrypt(plain(input.Plaintext), context).toString('base64');
      return {
        status: 200,
        body: { CiphertextBlob: blob, KeyId: arn, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' },
      };
    }
    if (request.field('x-amz-target') !== 'TrentService.Decrypt') return refuse('UnknownOperationException');
    const found = key.decrypt(plain(input.CiphertextBlob), context);
    if (found === undefined) return refuse('InvalidCiphertextException');
    return { status: 200, body: { Plaintext: found.toString('base64'), KeyId: arn } };
  }, tls);
  return Object.assign(server, { expected });
}

/** Google Cloud KMS with the token endpoint of a service account, and the metadata of a machine. */
export async function startGcpKms(resource: string, tls?: Tls) {
  const key = createServiceKey();
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const token = `ya29.${randomBytes(24).toString('base64url')}`;
  const given = { status: 200, body: { access_token: token, expires_in: 3599, token_type: 'Bearer' } };
  const refuse = (status: number, name: string): Answer => ({
    status,
    body: { error: { code: status, status: name, message: 'no' } },
  });
  const state = { damages: false };

  function giveToken(request: KmsRequest): Answer {
    const assertion = request.form().get('assertion') ?? '';
    try {
      const claims = jwt.verify(assertion, publicKey, {
        algorithms: ['RS256'],
        audience: `${server.url}/token`,
      });
      const isOurs = typeof claims === 'object' && claims.iss === 'gateway@project.iam.gserviceaccount.com';
      return isOurs ? given : refuse(401, 'UNAUTHENTICATED');
    } catch {
      return refuse(401, 'UNAUTHENTICATED');
    }
  }

  /** What Google's own clients send instead of asking for a token first. */
  function isSelfSigned(request: KmsRequest): boolean {
    const bearer = request.field('authorization').replace('Bearer ', '');
    try {
      const claims = jwt.verify(bearer, publicKey, { algorithms: ['RS256'] });
      return typeof claims === 'object' && String(claims.scope).includes('/auth/cloudkms');
    } catch {
      return false;
    }
  }

  const server = await startKmsServer((request) => {
    if (request.url.pathname === '/token') return giveToken(request);
    if (request.url.pathname.startsWith('/computeMetadata/'))
      return request.field('metadata-flavor') === 'Google' ? given : { status: 403 };
    if (request.field('authorization') !== `Bearer ${token}` && !isSelfSigned(request))
      return refuse(401, 'UNAUTHENTICATED');
    const [, name, operation] =
      /^\/v1\/(.+):(encrypt|decrypt)$/.exec(decodeURIComponent(request.url.pathname)) ?? [];
    if (name !== resource) return refuse(404, 'NOT_FOUND');
    const input = request.json();
    const bytes = (member: string) => Buffer.from(input[member] ?? '', 'base64');
    const isWhole = (member: string) =>
      input[`${member}Crc32c`] === undefined || Number(input[`${member}Crc32c`]) === crc32c(bytes(member));
    if (!['plaintext', 'ciphertext', 'additionalAuthenticatedData'].every(isWhole))
      return refuse(400, 'INVALID_ARGUMENT');
    const context = bytes('additionalAuthenticatedData');
    const sum = (data: Buffer) => String(crc32c(data) + (state.damages ? 1 : 0));
    if (operation === 'encrypt') {
      const ciphertext = key.encrypt(bytes('plaintext'), context);
      return {
        status: 200,
        body: {
          name: `${name}/cryptoKeyVersions/1`,
          ciphertext: ciphertext.toString('base64'),
          ciphertextCrc32c: sum(ciphertext),
          verifiedPlaintextCrc32c: input.plaintextCrc32c !== undefined,
          verifiedAdditionalAuthenticatedDataCrc32c: input.additionalAuthenticatedDataCrc32c !== undefined,
        },
      };
    }
    const plaintext = key.decrypt(bytes('ciphertext'), context);
    if (plaintext === undefined) return refuse(400, 'INVALID_ARGUMENT');
    return {
      status: 200,
      body: { plaintext: plaintext.toString('base64'), plaintextCrc32c: sum(plaintext) },
    };
  }, tls);
  const account = {
    type: 'service_account',
    client_email: 'gateway@project.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    private_key_id: 'key-1',
    token_uri: `${server.url}/token`,
  };
  return Object.assign(server, { account, state });
}

/** Azure Key Vault with RSA keys in versions, and the endpoints that give tokens. */
export async function startAzureKeyVault(name: string, tls?: Tls) {
  const versions = new Map<string, KeyObject>();
  const token = `eyJ.${randomBytes(24).toString('base64url')}`;
  const given = { status: 200, body: { access_token: token, expires_in: 3599, token_type: 'Bearer' } };
  const secret = 'azure-client-secret';
  const refuse = (status: number, code: string): Answer => ({
    status,
    body: { error: { code, message: 'no' } },
  });
  let latest = '';

  function rotate(): void {
    latest = randomBytes(16).toString('hex');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    versions.set(latest, createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  }
  rotate();

  function giveToken(request: KmsRequest): Answer | undefined {
    const { pathname, searchParams } = request.url;
    if (pathname === '/tenant-1/oauth2/v2.0/token') {
      const form = request.form();
      const isProven =
        form.get('client_secret') === secret || form.get('client_assertion') === 'federated-token';
      const isOurs =
        form.get('client_id') === 'client-1' && form.get('scope') === 'https://vault.azure.net/.default';
      return isProven && isOurs ? given : { status: 401, body: { error: 'invalid_client' } };
    }
    if (pathname !== '/metadata/identity/oauth2/token' && pathname !== '/msi') return undefined;
    const proof =
      pathname === '/msi'
        ? request.field('x-identity-header') === 'msi'
        : request.field('metadata') === 'true';
    const isOurs = proof && searchParams.get('resource') === 'https://vault.azure.net';
    return isOurs ? { status: 200, body: { ...given.body, expires_in: '3599' } } : { status: 400 };
  }

  const server = await startKmsServer((request) => {
    const ofToken = giveToken(request);
    if (ofToken !== undefined) return ofToken;
    const challenge = `Bearer authorization="https://login.microsoftonline.com/tenant-1", resource="https://vault.azure.net"`;
    if (request.field('authorization') !== `Bearer ${token}`)
      return { ...refuse(401, 'Unauthorized'), headers: { 'www-authenticate': challenge } };
    const [, key, version = latest, operation] =
      /^\/keys\/([^/]+)(?:\/([0-9a-f]{32}))?(?:\/(wrapkey|unwrapkey))?$/.exec(request.url.pathname) ?? [];
    const rsa = versions.get(version);
    if (key !== name || rsa === undefined) return refuse(404, 'KeyNotFound');
    if (operation === undefined) {
      const jwk = createPublicKey(rsa).export({ format: 'jwk' });
      const key_ops = ['wrapKey', 'unwrapKey'];
      return {
        status: 200,
        body: { key: { ...jwk, key_ops, kid: `${server.url}/keys/${name}/${version}` } },
      };
    }
    const { alg, value = '' } = request.json();
    if (alg !== 'RSA-OAEP-256') return refuse(400, 'BadParameter');
    const options = { key: rsa, oaepHash: 'sha256' };
    const bytes = Buffer.from(value, 'base64url');
    try {
      const out = operation === 'wrapkey' ? publicEncrypt(options, bytes) : privateDecrypt(options, bytes);
      const kid = `${server.url}/keys/${name}/${version}`;
      return { status: 200, body: { kid, value: out.toString('base64url') } };
    } catch {
      return refuse(400, 'BadParameter');
    }
  }, tls);
  return Object.assign(server, { secret, rotate, token, latest: () => latest });
}

/** Vault with the transit engine at `transit`, and log-ins by AppRole and Kubernetes. */
export async function startVault(keyName: string, tls?: Tls) {
  const key = createServiceKey();
  const tokens = { now: `hvs.${randomBytes(18).toString('base64url')}` };
  const secretId = 'vault-secret-id';
  const server = await startKmsServer((request) => {
    const { pathname } = request.url;
    const login = { status: 200, body: { auth: { client_token: tokens.now, lease_duration: 3600 } } };
    if (pathname === '/v1/auth/approle/login')
      return request.json().secret_id === secretId
        ? login
        : { status: 400, body: { errors: ['invalid role or secret ID'] } };
    if (pathname === '/v1/auth/kubernetes/login')
      return request.json().jwt === 'service-account-token'
        ? login
        : { status: 403, body: { errors: ['permission denied'] } };
    if (request.field('x-vault-token') !== tokens.now)
      return { status: 403, body: { errors: ['permission denied'] } };
    const [, operation, named] = /^\/v1\/transit\/(encrypt|decrypt)\/([^/]+)$/.exec(pathname) ?? [];
    if (named !== keyName) return { status: 400, body: { errors: ['encryption key not found'] } };
    const input = request.json();
    const context = Buffer.from(input.associated_data ?? '', 'base64');
    if (operation === 'encrypt') {
      const sealed = key.encrypt(Buffer.from(input.plaintext ?? '', 'base64'), context);
      return {
        status: 200,
        body: { data: { ciphertext: `vault:v1:${sealed.toString('base64')}`, key_version: 1 } },
      };
    }
    const sealed = Buffer.from((input.ciphertext ?? '').replace(/^vault:v1:/, ''), 'base64');
    const plaintext = key.decrypt(sealed, context);
    if (plaintext === undefined)
      return { status: 400, body: { errors: ['cipher: message authentication failed'] } };
    return { status: 200, body: { data: { plaintext: plaintext.toString('base64') } } };
  }, tls);
  return Object.assign(server, { tokens, secretId });
}
