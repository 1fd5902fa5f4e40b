import { createSecretKey, randomBytes } from 'node:crypto';
import { v7 as newId } from 'uuid';
import type { Db } from '../../src/platform/postgres/database.ts';
import type { EncryptionKey, Vault } from '../../src/platform/vault.ts';

export function encryptionKey(id: string): EncryptionKey {
  return { id, key: createSecretKey(randomBytes(32)) };
}

export type Sealed = {
  readonly table: string;
  readonly column: string;
  readonly id: string;
  readonly text: string;
};

/** One project with `count` rows in every table that holds sealed columns, every such column filled. */
export async function plantSealedRows(
  db: Db,
  vault: Vault,
  count: number,
): Promise<{ projectId: string; texts: Sealed[] }> {
  const projectId = newId();
  const userId = newId();
  const texts: Sealed[] = [];
  const seal = (table: string, column: string, id: string) => {
    const text = `${table} ${column} ${randomBytes(4).toString('hex')}`;
    texts.push({ table, column, id, text });
    return vault.seal(text, { table, column, rowId: id, projectId });
  };
  const sealAll = (table: string, id: string, columns: string[]) =>
    Object.fromEntries(columns.map((column) => [column, seal(table, column, id)]));
  await db('projects').insert({ id: projectId, name: 'p' });
  await db('end_users').insert({ id: userId, project_id: projectId, subject: 'u' });
  for (let index = 0; index < count; index += 1) {
    const [keyId, integrationId, connectionId, sessionId] = [newId(), newId(), newId(), newId()];
    await db('signing_keys').insert({
      id: keyId,
      project_id: projectId,
      kind: 'managed',
      kid: keyId,
      public_key_pem: 'pem',
      ...sealAll('signing_keys', keyId, ['private_key_sealed']),
    });
    await db('integrations').insert({
      id: integrationId,
      project_id: projectId,
      service_provider: 'acme',
      created_by: userId,
      updated_by: userId,
      ...sealAll('integrations', integrationId, [
        'client_secret_sealed',
        'previous_client_secret_sealed',
        'webhook_secret_sealed',
        'previous_webhook_secret_sealed',
      ]),
    });
    await db('connections').insert({
      id: connectionId,
      project_id: projectId,
      integration_id: integrationId,
      end_user_id: userId,
      status: 'active',
      ...sealAll('connections', connectionId, ['credentials_sealed']),
    });
    await db('connect_sessions').insert({
      id: sessionId,
      project_id: projectId,
      end_user_id: userId,
      token_hash: randomBytes(32),
      completion: 'link',
      made_by_kind: 'operator',
      made_by_id: userId,
      state: 'pending',
      expires_at: new Date(),
      ...sealAll('connect_sessions', sessionId, ['pkce_verifier_sealed', 'pending_sealed']),
    });
    const principal = `operator:${userId}`;
    const context = {
      table: 'idempotency_keys',
      column: 'reply_sealed',
      rowId: `${principal} ${index}`,
      projectId: '',
    };
    await db('idempotency_keys').insert({
      principal,
      key: String(index),
      request_hash: randomBytes(32),
      status: 201,
      reply_sealed: vault.seal(`reply ${index}`, context),
    });
  }
  return { projectId, texts };
}

/** What every planted column says now, in the order of planting. */
export async function readTexts(
  db: Db,
  vault: Vault,
  projectId: string,
  texts: readonly Sealed[],
): Promise<string[]> {
  const answers: string[] = [];
  for (const { table, column, id } of texts) {
    const row = await db(table).where({ id }).first(column);
    answers.push(vault.open(row[column], { table, column, rowId: id, projectId }));
  }
  return answers;
}
