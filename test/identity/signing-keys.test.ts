import { generateKeyPairSync } from 'node:crypto';
import {
  addMember,
  addProject,
  type OwnProject,
  readProblemCode,
  startProjects,
} from '../projects/support.ts';

function newKeyPair() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { pem, privatePem, jwk: publicKey.export({ format: 'jwk' }) };
}

const { management, theirs, send } = await startProjects();
afterAll(management.drop);

let project: OwnProject;
beforeEach(async () => {
  project = await addProject(management);
});

describe('signing keys', () => {
  const path = (rest = '') => `/projects/${project.id}/signing-keys${rest}`;
  const add = (body: object) => send('post', path(), project.owner.token, body);

  it('are taken as PEM, with a thumbprint as kid, and verify at once', async () => {
    const { pem } = newKeyPair();
    management.changed.length = 0;
    const made = await add({ alg: 'ES256', publicKey: pem, issuer: 'https://app.example' }).expect(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      kid: expect.stringMatching(/^[\w-]{43}$/),
      kind: 'public_key',
      alg: 'ES256',
      publicKey: pem,
      issuer: 'https://app.example',
      jwksUrl: null,
      audience: null,
      createdAt: expect.any(String),
    });
    expect(management.changed).toEqual([project.id]);
    const [key] = (await management.signingKeys.loadProjectKeys(project.id))?.keys ?? [];
    expect(key).toEqual({
      id: made.body.id,
      kid: made.body.kid,
      kind: 'public_key',
      alg: 'ES256',
      publicKeyPem: pem,
      jwksUrl: null,
      issuer: 'https://app.example',
      audience: null,
    });
  });

  it('are taken as JWK, with the kid of the request, of the key, or its thumbprint', async () => {
    const named = await add({ alg: 'ES256', publicKey: { ...newKeyPair().jwk, kid: 'own' }, kid: 'mine' });
    expect(named.body.kid).toBe('mine');
    const own = await add({ alg: 'ES256', publicKey: { ...newKeyPair().jwk, kid: 'own' } });
    expect(own.body.kid).toBe('own');
    expect((await add({ alg: 'ES256', publicKey: newKeyPair().jwk })).body.kid).toHaveLength(43);
  });

  it('are taken as a JWKS URL with an issuer', async () => {
    const jwksUrl = 'https://login.example/jwks.json';
    const made = await add({ jwksUrl, issuer: 'https://login.example/', audience: 'app' }).expect(201);
    expect(made.body).toMatchObject({ kind: 'jwks', alg: null, publicKey: null, jwksUrl, audience: 'app' });
    expect(made.body.kid).toEqual(expect.any(String));
  });

  it('that the gateway holds never show their private half', async () => {
    const made = await add({ managed: true }).expect(201);
    expect(made.body).toMatchObject({
      kind: 'managed',
      alg: 'ES256',
      publicKey: expect.stringContaining('PUBLIC KEY'),
    });
    const list = await send('get', path(), project.owner.token).expect(200);
    expect(list.body.signingKeys).toHaveLength(2);
    const dump = JSON.stringify([await management.db('signing_keys'), await management.db('activity')]);
    for (const text of [made.text, list.text, dump, management.logText()])
      expect(text).not.toContain('PRIVATE');
  });

  it.each([
    [
      'a private key',
      () => ({ alg: 'ES256', publicKey: newKeyPair().privatePem }),
      '422 signing_key_invalid',
    ],
    [
      'text that is no key',
      () => ({ alg: 'ES256', publicKey: 'ssh-ed25519 AAAA' }),
      '422 signing_key_invalid',
    ],
    [
      'a key of another kind',
      () => ({ alg: 'RS256', publicKey: newKeyPair().pem }),
      '422 signing_key_invalid',
    ],
    [
      'a shared secret',
      () => ({ alg: 'ES256', publicKey: { kty: 'oct', k: 'c2VjcmV0' } }),
      '422 signing_key_invalid',
    ],
    ['HMAC', () => ({ alg: 'HS256', publicKey: 'secret' }), '400 invalid_request'],
    ['no algorithm', () => ({ publicKey: newKeyPair().pem }), '400 invalid_request'],
    [
      'a JWKS URL on plain http',
      () => ({ jwksUrl: 'http://a.example/jwks', issuer: 'a' }),
      '400 invalid_request',
    ],
    ['a JWKS URL without an issuer', () => ({ jwksUrl: 'https://a.example/jwks' }), '400 invalid_request'],
    ['managed: false', () => ({ managed: false }), '400 invalid_request'],
    [
      'two kinds at once',
      () => ({ managed: true, jwksUrl: 'https://a.example/', issuer: 'a' }),
      '400 invalid_request',
    ],
    ['nothing', () => ({}), '400 invalid_request'],
  ])('refuse %s', async (_what, makeBody, refusal) => {
    expect(await add(makeBody()).then(readProblemCode)).toBe(refusal);
    expect((await management.signingKeys.loadProjectKeys(project.id))?.keys).toHaveLength(1);
  });

  it('have distinct kids among the live ones of a project', async () => {
    const body = { alg: 'ES256', publicKey: newKeyPair().pem, kid: 'a' };
    const first = await add(body).expect(201);
    expect(await add({ ...body, publicKey: newKeyPair().pem }).then(readProblemCode)).toBe(
      '422 signing_key_invalid',
    );
    await send('post', `/projects/${theirs.id}/signing-keys`, theirs.owner.token, body).expect(201);
    await send('delete', path(`/${first.body.id}`), project.owner.token).expect(204);
    await add(body).expect(201);
  });

  it('are five at most, even when more are added at the same time', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => add({ managed: true })));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(4);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(readProblemCode))).toEqual(new Set(['409 signing_key_limit']));
    expect((await management.signingKeys.loadProjectKeys(project.id))?.keys).toHaveLength(5);
  });

  it('are gone at once when revoked, and make room', async () => {
    const { id } = (await add({ managed: true })).body;
    management.changed.length = 0;
    await send('delete', path(`/${id}`), project.owner.token).expect(204);
    expect(management.changed).toEqual([project.id]);
    const left = await management.signingKeys.loadProjectKeys(project.id);
    expect(left?.keys.map((key) => key.id)).not.toContain(id);
    expect(await send('delete', path(`/${id}`), project.owner.token).then(readProblemCode)).toBe(
      '404 not_found',
    );
  });

  it('are managed by operators with a writing role only', async () => {
    const viewer = await addMember(management, project, 'viewer');
    await send('get', path(), viewer.token).expect(200);
    expect(await send('post', path(), viewer.token, { managed: true }).then(readProblemCode)).toBe(
      '403 insufficient_role',
    );
    for (const credential of [project.apiKey, `user:${project.id}:u`]) {
      expect(await send('get', path(), credential).then(readProblemCode)).toBe('403 forbidden_principal');
      const added = await send('post', path(), credential, { managed: true });
      expect(readProblemCode(added)).toBe('403 forbidden_principal');
    }
    await send('get', path()).expect(401);
  });

  it('of other projects are out of reach, also under the own project’s path', async () => {
    const foreign = `/projects/${theirs.id}/signing-keys`;
    const [key] = (await send('get', foreign, theirs.owner.token)).body.signingKeys;
    expect(await send('get', foreign, project.owner.token).then(readProblemCode)).toBe(
      '404 project_not_found',
    );
    const added = await send('post', foreign, project.owner.token, { managed: true });
    expect(readProblemCode(added)).toBe('404 project_not_found');
    expect(await send('delete', path(`/${key.id}`), project.owner.token).then(readProblemCode)).toBe(
      '404 not_found',
    );
  });

  it('of a project without any are an empty set, of a missing project none', async () => {
    const [key] = (await management.signingKeys.loadProjectKeys(project.id))?.keys ?? [];
    await send('delete', path(`/${key?.id}`), project.owner.token).expect(204);
    expect((await management.signingKeys.loadProjectKeys(project.id))?.keys).toEqual([]);
    expect(
      await management.signingKeys.loadProjectKeys('01890000-0000-7000-8000-0000000000ff'),
    ).toBeUndefined();
    expect(await management.signingKeys.loadProjectKeys('no uuid')).toBeUndefined();
  });
});
