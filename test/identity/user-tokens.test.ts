import { generateKeyPairSync } from 'node:crypto';
import { signUserToken } from '../../src/identity/user-jwt/user-jwt.ts';
import { createKeySets } from '../../src/identity/verification/key-sets.ts';
import {
  addMember,
  addProject,
  type OwnProject,
  readProblemCode,
  startProjects,
} from '../projects/support.ts';
import { NO_MANDATE } from './key-sets-world.ts';

const { management, theirs, send } = await startProjects();
afterAll(management.drop);

let project: OwnProject;
beforeEach(async () => {
  project = await addProject(management);
});

describe('user tokens', () => {
  const mint = (body: object, credential = project.apiKey) => send('post', '/user-tokens', credential, body);

  /** What the gateway itself makes of the token, with the keys as they are stored. */
  function verify(projectId: string, token: string) {
    const keySets = createKeySets({
      loadProjectKeys: (id) => management.signingKeys.loadProjectKeys(id),
      loadRevocations: async () => [],
      findMandate: () => NO_MANDATE,
      refusedPerNetworkPerMinute: 300,
      heldRefusalsMax: 0,
      noteRefusedToken: () => undefined,
      fetchJwks: () => Promise.reject(new Error('no JWKS here')),
      now: Date.now,
      log: { warn: () => undefined, error: () => undefined },
    });
    return (async () => keySets.verifyUserToken(projectId, token, () => '192.0.2.1'))();
  }

  it('are good for their user in their project, and for an hour', async () => {
    const made = await mint({ userId: 'müller/17' }).expect(201);
    expect(made.headers['cache-control']).toBe('no-store');
    expect(await verify(project.id, made.body.token)).toMatchObject({ subject: 'müller/17' });
    await expect(verify(theirs.id, made.body.token)).rejects.toMatchObject({ code: 'token_invalid' });
    const payload = readPayload(made.body.token);
    expect(payload).toMatchObject({ sub: 'müller/17', aud: project.id });
    expect(payload.exp - payload.iat).toBe(3600);
    expect(payload.jti).toBe(made.body.jti);
    expect(made.body.expiresAt).toBe(new Date(payload.exp * 1000).toISOString());
  });

  it('live as long as they are told to', async () => {
    const { exp, iat } = readPayload((await mint({ userId: 'u', expiresIn: 60 }).expect(201)).body.token);
    expect(exp - iat).toBe(60);
  });

  it('are signed with the newest managed key, and die with it', async () => {
    const path = `/projects/${project.id}/signing-keys`;
    const newest = (await send('post', path, project.owner.token, { managed: true })).body;
    const { token } = (await mint({ userId: 'u' })).body;
    expect(readHeader(token)).toMatchObject({ alg: 'ES256', kid: newest.kid });
    await send('delete', `${path}/${newest.id}`, project.owner.token).expect(204);
    await expect(verify(project.id, token)).rejects.toMatchObject({ code: 'token_invalid' });
    const older = (await mint({ userId: 'u' }).expect(201)).body.token;
    expect(readHeader(older).kid).not.toBe(newest.kid);
  });

  it('cannot be minted without a managed key, and the reply says what to do', async () => {
    const path = `/projects/${project.id}/signing-keys`;
    const [key] = (await send('get', path, project.owner.token)).body.signingKeys;
    await send('delete', `${path}/${key.id}`, project.owner.token).expect(204);
    const refused = await mint({ userId: 'u' });
    expect(readProblemCode(refused)).toBe('422 signing_key_invalid');
    expect(refused.body.detail).toContain('managed');
  });

  it.each([
    ['no user', {}],
    ['an empty user', { userId: '' }],
    ['a user of 256 characters', { userId: 'x'.repeat(256) }],
    ['a control character', { userId: 'a\u0000b' }],
    ['a lone surrogate', { userId: 'a\ud800' }],
    ['a user that is no text', { userId: 17 }],
    ['an id reserved for operators', { userId: 'operator:01890000-0000-7000-8000-0000000000ff' }],
    ['the reserved prefix alone', { userId: 'operator:' }],
    ['too short a life', { userId: 'u', expiresIn: 59 }],
    ['too long a life', { userId: 'u', expiresIn: 86_401 }],
    ['a claim of its own', { userId: 'u', aud: 'other' }],
  ])('are refused for %s', async (_what, body) => {
    expect(await mint(body).then(readProblemCode)).toBe('400 invalid_request');
  });

  it('take 255 characters outside the basic plane', async () => {
    const userId = '😀'.repeat(255);
    const { token } = (await mint({ userId }).expect(201)).body;
    expect(await verify(project.id, token)).toMatchObject({ subject: userId });
  });

  it('of an operator stand for a named user, or for the operator’s own test user, for an hour at most', async () => {
    const { id, token } = project.owner;
    const named = await mint({ userId: 'u' }, token).expect(201);
    expect(await verify(project.id, named.body.token)).toMatchObject({ subject: 'u' });
    const own = await mint({ projectId: project.id }, token).expect(201);
    expect(await verify(project.id, own.body.token)).toMatchObject({ subject: `operator:${id}` });
    const long = await mint({ expiresIn: 3601 }, token);
    expect(readProblemCode(long)).toBe('400 invalid_request');
    const log = await management.db('activity').where({ action: 'user_token.created', actor_id: id });
    expect(log.map(({ details }) => details.userId).sort()).toEqual([`operator:${id}`, 'u']);
  });

  it('are not minted by viewers, by operators of other projects, or for nobody', async () => {
    const viewer = await addMember(management, project, 'viewer');
    for (const body of [{ userId: 'u' }, {}]) {
      expect(readProblemCode(await mint({ projectId: project.id, ...body }, viewer.token))).toBe(
        '403 insufficient_role',
      );
      expect(readProblemCode(await mint({ projectId: project.id, ...body }, theirs.owner.token))).toBe(
        '404 project_not_found',
      );
    }
    expect(readProblemCode(await mint({}))).toBe('400 invalid_request');
    expect(readProblemCode(await mint({ projectId: theirs.id, userId: 'u' }))).toBe('404 project_not_found');
  });

  it('that an application signs itself name no operator', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const body = { alg: 'ES256', publicKey: publicKey.export({ type: 'spki', format: 'pem' }) };
    const { kid } = (await send('post', `/projects/${project.id}/signing-keys`, project.owner.token, body))
      .body;
    const { token } = signUserToken({
      privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      kid,
      projectId: project.id,
      subject: `operator:${project.owner.id}`,
      expiresInSeconds: 60,
      now: Date.now(),
    });
    await expect(verify(project.id, token)).rejects.toMatchObject({ code: 'token_invalid' });
  });

  it('are minted for no end user, and for no caller without credentials', async () => {
    await send('post', '/user-tokens', undefined, { userId: 'u' }).expect(401);
    const asUser = await mint({ userId: 'u' }, `user:${project.id}:u`);
    expect(readProblemCode(asUser)).toBe('403 forbidden_principal');
  });
});

function readHeader(token: string) {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
}

function readPayload(token: string) {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}
