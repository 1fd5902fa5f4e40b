import { createApiKeysStore } from '../../src/identity/api-keys/api-keys.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { runChore, startRooms, type TestRooms } from '../support/rooms.ts';
import { insertProject } from '../support/rows.ts';

let stage: TestRooms;
beforeAll(async () => {
  stage = await startRooms();
});
afterAll(() => stage?.stop());

const authenticate = (token: string) => {
  const authorization = `Bearer ${token}`;
  return stage.rooms.identity.authenticate({
    rawHeaders: ['Authorization', authorization],
    headers: { authorization },
    address: '192.0.2.1',
    network: '192.0.2.1',
    isSuspect: false,
  });
};

describe('the identity of a caller', () => {
  it('is that of the API key, whose use is written down later', async () => {
    const projectId = await insertProject(stage.db);
    const keys = createApiKeysStore({ db: stage.db });
    const fields = {
      projectId,
      name: 'Key',
      createdBy: newId(),
      expiresAt: null,
      scopes: ['*'],
      allowedAddresses: null,
    };
    const { apiKey, key } = await keys.insert(stage.db, fields);
    const principal = { kind: 'api_key', apiKeyId: apiKey.id, projectId };
    expect(await authenticate(key)).toMatchObject(principal);
    await runChore(stage.rooms.identity.chores, 'last use of credentials');
    const [listed] = await keys.list({ projectId, beforeId: undefined, limit: 1 });
    expect(listed?.lastUsedAt).toBeInstanceOf(Date);
    await keys.revoke(stage.db, projectId, apiKey.id);
    await expect(authenticate(key)).rejects.toMatchObject({ code: 'token_invalid' });
  });
});
