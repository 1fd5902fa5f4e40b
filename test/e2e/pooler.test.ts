import { callApi, callApiOk } from '../support/gateway.ts';
import { createEncryptionKey } from '../support/gateway-environment.ts';
import { callProvider, provisionConnected, startHeldStage, USER, until } from '../support/held-stage.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startTransactionPooler } from '../support/transaction-pooler.ts';

const stage = await startHeldStage();
afterAll(stage.close);

describe('behind a connection pooler in transaction mode, with a direct address', () => {
  it("gateways serve, and hear of each other's changes", async () => {
    const database = await createTestDatabase({ empty: true });
    const pooler = await startTransactionPooler(database.url);
    const env = { ENCRYPTION_KEYS: createEncryptionKey(), DATABASE_DIRECT_URL: database.url };
    const [one, other] = [
      await stage.spawn({ databaseUrl: pooler.url, env }),
      await stage.spawn({ databaseUrl: pooler.url, env }),
    ];
    const project = await provisionConnected(one);
    for (const gateway of [one, other]) expect((await callProvider(gateway, project, '/')).status).toBe(200);
    const listening = await database
      .knex('pg_stat_activity')
      .where({ application_name: 'gateway listener' })
      .andWhereRaw('datname = current_database()');
    expect(listening).toHaveLength(2);
    const { connections } = await callApiOk(one.url, 'GET', '/v1/connections', {
      bearer: project.userToken(USER),
    });
    await callApiOk(one.url, 'DELETE', `/v1/connections/${connections[0].id}`, { bearer: project.apiKey });
    await until(async () => (await callProvider(other, project, '/')).status, 404);
    // The lock of migrations; pg_locks lists those of the other tests' databases too.
    const held = await database
      .knex('pg_locks')
      .where({ locktype: 'advisory', classid: 20330, objid: 2 })
      .andWhereRaw('database = (SELECT oid FROM pg_database WHERE datname = current_database())');
    expect(held).toEqual([]);
    expect((await callApi(other.url, 'GET', '/readyz')).body).toEqual({ status: 'ok' });
    for (const gateway of [one, other]) expect(await gateway.stop()).toEqual({ code: 0, signal: null });
    await pooler.close();
    await database.drop();
  });
});
