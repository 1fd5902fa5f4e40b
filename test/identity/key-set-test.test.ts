import { generateKeyPairSync } from 'node:crypto';
import { addMember, addProject, readProblemCode, startProjects } from '../projects/support.ts';

const { management, project, theirs, send } = await startProjects();
afterAll(management.drop);

const URL_OF_KEYS = 'https://login.example/jwks.json';

function test(token: string, body: object = { jwksUrl: URL_OF_KEYS }, projectId = project.id) {
  return send('post', `/projects/${projectId}/signing-keys/test`, token, body);
}

function ecJwk(namedCurve = 'P-256') {
  return generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' });
}

describe('trying the address of a key set', () => {
  it('tells which keys can verify user tokens, and why the others cannot', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    management.keySets.set(URL_OF_KEYS, {
      keys: [
        { ...ecJwk(), kid: 'good' },
        { ...ecJwk('P-384'), kid: 'named', alg: 'ES384', use: 'sig' },
        { ...ecJwk(), kid: 'encrypts', use: 'enc' },
        { ...ecJwk(), kid: 'mismatch', alg: 'ES512' },
        { ...privateKey.export({ format: 'jwk' }), kid: 'private' },
        { kty: 'oct', k: 'c2VjcmV0', kid: 'shared' },
        { kty: 'OKP', crv: 'Ed25519', x: 'AAAA', kid: 'edwards' },
        'no key at all',
      ],
    });
    const { body } = await test(project.owner.token).expect(200);
    expect(
      body.keys.map(({ kid, alg, fault }: Record<string, unknown>) => [kid, alg, fault === null]),
    ).toEqual([
      ['good', 'ES256', true],
      ['named', 'ES384', true],
      ['encrypts', 'ES256', false],
      ['mismatch', 'ES512', false],
      ['private', null, false],
      ['shared', null, false],
      ['edwards', null, false],
      [null, null, false],
    ]);
    expect(JSON.stringify(body)).not.toContain('c2VjcmV0');
  });

  it('shows the first hundred keys, with names of bounded length', async () => {
    const keys = Array.from({ length: 300 }, (_, index) => ({
      kty: 'oct',
      kid: `${index}`.padEnd(5_000, 'x'),
    }));
    management.keySets.set(URL_OF_KEYS, { keys });
    const { body } = await test(project.owner.token).expect(200);
    expect(body.keys).toHaveLength(100);
    expect(body.keys[0].kid).toHaveLength(128);
  });

  it('says when the address gives no key set', async () => {
    const missing = await test(project.owner.token, { jwksUrl: 'https://login.example/missing' });
    expect(readProblemCode(missing)).toBe('422 signing_key_invalid');
    expect(missing.body.detail).toContain('the key set answered 404');
    management.keySets.set(URL_OF_KEYS, { keys: 'none' });
    expect((await test(project.owner.token)).body.detail).toContain('no list named "keys"');
    const insecure = await test(project.owner.token, { jwksUrl: 'http://169.254.169.254/latest' });
    expect(readProblemCode(insecure)).toBe('400 invalid_request');
  });

  it('is for owners and admins, thirty times in ten minutes', async () => {
    management.keySets.set(URL_OF_KEYS, { keys: [] });
    const own = await addProject(management);
    const viewer = await addMember(management, own, 'viewer');
    expect(readProblemCode(await test(viewer.token, undefined, own.id))).toBe('403 insufficient_role');
    expect(readProblemCode(await test(theirs.owner.token, undefined, own.id))).toBe('404 project_not_found');
    expect(readProblemCode(await test(own.apiKey, undefined, own.id))).toBe('403 forbidden_principal');
    const admin = await addMember(management, own, 'admin');
    for (let tries = 0; tries < 30; tries += 1) await test(admin.token, undefined, own.id).expect(200);
    expect(readProblemCode(await test(admin.token, undefined, own.id))).toBe('429 rate_limited');
  });
});
