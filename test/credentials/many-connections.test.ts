import { randomUUID } from 'node:crypto';
import type {
  NamedConnection,
  UserConnection,
  UserConnections,
} from '../../src/credentials/calling/user-connections.store.ts';
import { createUserConnections } from '../../src/credentials/calling/user-connections.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const [PROJECT_ID, INTEGRATION_ID, END_USER_ID] = [randomUUID(), randomUUID(), randomUUID()];
const provider = acmeProvider();

/** Users with so many connections each, and what the store was asked for. */
function start(count: number) {
  const loads: (NamedConnection & { readonly subject: string })[] = [];
  const ids = Array.from({ length: count }, () => randomUUID());
  const connectionOf = (connectionId: string): UserConnection => ({
    connectionId,
    endUserId: END_USER_ID,
    integrationId: INTEGRATION_ID,
    status: 'active',
    variables: {},
    credentials: { values: { accessToken: 'token' }, refreshToken: null },
    version: 1,
    expiresInMs: null,
    lifetimeSeconds: null,
  });
  const connections = createUserConnections({
    providers: { find: () => provider },
    refusedCalls: { note: () => undefined, noteDoubt: () => undefined },
    accessTokens: { refresh: () => new Promise(() => undefined), refreshAfter401: async () => null },
    store: {
      noteUnrefreshable: async () => undefined,
      async load(_projectId, owner, _entry, named = {}): Promise<UserConnections> {
        const { connectionId, integrationId } = named;
        const subject = 'subject' in owner ? owner.subject : owner.organization;
        loads.push({ subject, connectionId, integrationId });
        const found = subject !== 'ada' ? [] : ids.filter((id) => (connectionId ?? id) === id);
        const isTooMany = found.length > 20;
        return {
          endUserId: END_USER_ID,
          integrations: [{ id: INTEGRATION_ID, provider, values: {} }],
          connections: isTooMany ? [] : found.map(connectionOf),
          ...(isTooMany && {
            tooMany: { connectionIds: found.slice(0, 20), connectionCount: found.length },
          }),
        };
      },
    },
    log: { warn() {} },
    now: Date.now,
    random: Math.random,
  });
  /** The id of the connection, or the code of the refusal with its members. */
  const resolve = async (named: NamedConnection = {}, subject = 'ada') => {
    const { connectionId, integrationId } = named;
    const choice = {
      projectId: PROJECT_ID,
      provider: provider.id,
      user: { projectId: PROJECT_ID, subject },
      ...(connectionId !== undefined && { connectionId }),
      ...(integrationId !== undefined && { integrationId }),
    };
    try {
      return (await connections.resolve(choice)).connectionId;
    } catch (error) {
      return error as { code: string; extra?: { connectionIds: string[]; connectionCount: number } };
    }
  };
  return { connections, ids, loads, resolve };
}

describe('a call of a user with many connections that names none', () => {
  it('is refused with 20 ids and the number, and the next from memory', async () => {
    const { ids, loads, resolve } = start(10_000);
    const extra = { connectionIds: ids.slice(0, 20), connectionCount: 10_000 };
    expect(await resolve()).toMatchObject({ code: 'connection_ambiguous', extra });
    expect(await resolve()).toMatchObject({ code: 'connection_ambiguous', extra });
    expect(loads).toHaveLength(1);
  });

  it('is judged again after a change of the user’s connections', async () => {
    const { connections, ids, loads, resolve } = start(21);
    await resolve();
    ids.splice(1);
    connections.invalidate(PROJECT_ID, { endUserId: END_USER_ID });
    expect(await resolve()).toBe(ids[0]);
    expect(loads).toHaveLength(2);
  });

  it('of two connections lists both, from memory as well', async () => {
    const { ids, loads, resolve } = start(2);
    for (let call = 0; call < 2; call += 1) {
      expect(await resolve()).toMatchObject({ extra: { connectionIds: ids, connectionCount: 2 } });
    }
    expect(loads).toHaveLength(1);
  });
});

describe('a call of a user with many connections that names one', () => {
  it('has it from memory the second time, in letters of any case', async () => {
    const { ids, loads, resolve } = start(10_000);
    const [connectionId = ''] = ids;
    expect(await resolve({ connectionId })).toBe(connectionId);
    expect(await resolve({ connectionId: connectionId.toUpperCase() })).toBe(connectionId);
    expect(loads.map((load) => load.connectionId)).toEqual([undefined, connectionId]);
  });

  it('loads it again after a change', async () => {
    const { connections, ids, loads, resolve } = start(30);
    const [connectionId = ''] = ids;
    await resolve({ connectionId });
    connections.invalidate(PROJECT_ID, { endUserId: END_USER_ID });
    expect(await resolve({ connectionId })).toBe(connectionId);
    expect(loads).toHaveLength(4);
  });

  it('is told which names fit nothing, each time by the store', async () => {
    const { loads, resolve } = start(30);
    for (let call = 0; call < 2; call += 1) {
      expect(await resolve({ connectionId: randomUUID() })).toMatchObject({ code: 'connection_not_found' });
      expect(await resolve({ integrationId: randomUUID() })).toMatchObject({ code: 'integration_not_found' });
    }
    expect(loads).toHaveLength(5);
  });

  it('never gets what memory has for a user whose name differs in case alone', async () => {
    const { ids, resolve } = start(30);
    const [connectionId = ''] = ids;
    await resolve({ connectionId });
    for (const subject of ['Ada', 'ADA']) {
      expect(await resolve({ connectionId }, subject)).toMatchObject({ code: 'connection_not_found' });
    }
  });

  it('by an integration with many is refused as ambiguous, from memory the second time', async () => {
    const { loads, resolve } = start(30);
    for (let call = 0; call < 2; call += 1) {
      expect(await resolve({ integrationId: INTEGRATION_ID })).toMatchObject({
        code: 'connection_ambiguous',
      });
    }
    expect(loads).toHaveLength(2);
  });
});
