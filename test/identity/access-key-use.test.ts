import { createAccessKeyUse } from '../../src/identity/api-keys/access-key-use.store.ts';
import { createChores } from '../../src/platform/chores.ts';
import { captureLog } from '../http/support.ts';
import { startProjects } from '../projects/support.ts';

const NOON = Date.parse('2030-01-01T12:00:00.000Z');

const { management, project, send } = await startProjects();
afterAll(management.drop);

describe('the last use of a credential', () => {
  it('is written for keys and tokens, once a minute at most', async () => {
    let nowMs = NOON;
    const use = createAccessKeyUse({ db: management.db, now: () => nowMs });
    const { id: keyId } = await management.db('api_keys').where({ project_id: project.id }).first();
    const { id: tokenId } = await management
      .db('personal_access_tokens')
      .where({ operator_id: project.owner.id })
      .first();
    const noteBoth = () => {
      use.noteAccessKeyUse({ table: 'api_keys', id: keyId });
      use.noteAccessKeyUse({ table: 'personal_access_tokens', id: tokenId });
      return use.flush();
    };
    const shown = async () => {
      const keys = await send('get', `/projects/${project.id}/api-keys`, project.owner.token);
      const tokens = await send('get', '/personal-access-tokens', project.owner.token);
      return [keys.body.apiKeys[0].lastUsedAt, tokens.body.personalAccessTokens[0].lastUsedAt];
    };
    expect(await shown()).toEqual([null, null]);
    await noteBoth();
    expect(await shown()).toEqual(['2030-01-01T12:00:00.000Z', '2030-01-01T12:00:00.000Z']);
    nowMs = NOON + 59_000;
    await noteBoth();
    expect(await shown()).toEqual(['2030-01-01T12:00:00.000Z', '2030-01-01T12:00:00.000Z']);
    nowMs = NOON + 61_000;
    await noteBoth();
    expect(await shown()).toEqual(['2030-01-01T12:01:01.000Z', '2030-01-01T12:01:01.000Z']);
  });

  it('that is not written yet is written when the process stops', async () => {
    const { apiKey } = await management.apiKeys.insert(management.db, {
      projectId: project.id,
      name: 'late',
      createdBy: project.owner.id,
      expiresAt: null,
      scopes: ['*'],
      allowedAddresses: null,
    });
    const use = createAccessKeyUse({ db: management.db });
    const chores = createChores({ chores: [use.chore], random: Math.random, log: captureLog().log });
    use.noteAccessKeyUse({ table: 'api_keys', id: apiKey.id });
    await chores.stop();
    const row = await management.db('api_keys').where({ id: apiKey.id }).first();
    expect(row.last_used_at).toBeInstanceOf(Date);
  });
});
