import { createHmac } from 'node:crypto';
import { createUserConnectionsStore } from '../../src/credentials/calling/user-connections.store.ts';
import { createUserConnections } from '../../src/credentials/calling/user-connections.ts';
import { providerRequest } from '../../src/proxy/provider-request.ts';
import { readFields } from '../../src/proxy/request-fields.ts';
import { refreshedWith, startAccessTokens } from '../support/access-tokens.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { createTestDatabase } from '../support/postgres.ts';
import {
  createTestVault,
  insertConnection,
  insertEndUser,
  insertIntegration,
  insertProject,
} from '../support/rows.ts';

const { knex: db, drop } = await createTestDatabase();
afterAll(drop);
const vault = createTestVault();

/** A connection of this provider in the store, as the proxy finds it; its next access token is `access-2`. */
async function connect(extra: object) {
  const provider = acmeProvider(extra);
  const projectId = await insertProject(db);
  const endUserId = await insertEndUser(db, projectId, 'ada');
  const integrationId = await insertIntegration(db, vault, projectId, 'acme');
  const accessTokenExpiresAt = new Date(Date.now() + 3_600_000);
  await insertConnection(db, vault, { projectId, integrationId, endUserId }, { accessTokenExpiresAt });
  const silent = { warn: () => undefined, error: () => undefined };
  const accessTokens = startAccessTokens({ db, vault }, async () => refreshedWith('access-2'));
  const connections = createUserConnections({
    refusedCalls: { note: () => undefined, noteDoubt: () => undefined },
    providers: { find: () => provider },
    store: createUserConnectionsStore({ db, vault }),
    accessTokens,
    log: silent,
    now: Date.now,
    random: () => 0,
  });
  const user = { projectId, subject: 'ada' };
  const resolved = await connections.resolve({ projectId, provider: 'acme', user });
  const credential = await connections.credential(resolved);
  const urlOf = (rawQuery: string) =>
    providerRequest({
      method: 'GET',
      target: { rawPath: '/me', rawQuery },
      fields: readFields(['Authorization', 'Bearer the.user.jwt'], []),
      connection: resolved,
      apiBase: resolved.apiBase,
      credential,
      token: 'the.user.jwt',
    })?.pathname;
  return { resolved, credential, urlOf, refresh: () => connections.refreshAfter401(resolved, credential) };
}

const proofOf = (accessToken: string) =>
  createHmac('sha256', 'client-secret-1').update(accessToken).digest('hex');

describe('calls of an API that wants to know the client behind them', () => {
  it('carry the client secret where the provider file says so', async () => {
    const apiHeaders = { 'x-api-key': '{clientId}:{clientSecret}', 'x-basic': '{clientBasic}' };
    const { resolved, urlOf } = await connect({ apiHeaders, apiQuery: { secret: '{clientSecret}' } });
    expect(resolved.apiHeaders).toEqual([
      ['x-api-key', 'client-1:client-secret-1'],
      ['x-basic', Buffer.from('client-1:client-secret-1').toString('base64')],
    ]);
    expect(urlOf('')).toBe('/me?secret=client-secret-1');
  });

  it('leave it where it is at every other provider', async () => {
    const { resolved, credential } = await connect({ apiHeaders: { 'x-id': '{clientId}' } });
    expect(JSON.stringify([resolved, credential])).not.toContain('client-secret-1');
  });

  it('prove it for the access token that they carry, also for the one that comes after a refresh', async () => {
    const { urlOf, refresh } = await connect({ accessTokenProof: { parameter: 'proof' } });
    expect(urlOf('?a=1')).toBe(`/me?a=1&proof=${proofOf('access-1')}`);
    await refresh();
    expect(urlOf('')).toBe(`/me?proof=${proofOf('access-2')}`);
    expect(urlOf('?proof=own')).toBe('/me?proof=own');
  });

  it('do not prove it where the caller brings another token', async () => {
    const accessTokenProof = { parameter: 'proof', unless: 'access_token' };
    const { urlOf } = await connect({ accessTokenProof });
    expect(urlOf('?access_token=page')).toBe('/me?access_token=page');
    expect(urlOf('')).toBe(`/me?proof=${proofOf('access-1')}`);
  });
});
