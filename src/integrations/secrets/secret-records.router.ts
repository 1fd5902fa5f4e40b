import type { RecordActivity } from '../../activity/record.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { type ErrorCode, HttpError } from '../../http/errors.ts';
import type { Principal } from '../../http/principal.ts';
import { writeTime } from '../../lib/timestamps.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access, AccessMode } from '../../projects/access.ts';
import { integrationParams } from '../integrations.schema.ts';
import type { IntegrationsStore } from '../integrations.store.ts';
import { secretRecordList, secretRecordParams } from './secret-records.schema.ts';
import type { SecretRecord, SecretRecordsStore } from './secret-records.store.ts';

/** What is known of an integration's secrets, and the way to drop the older one. */
export function createSecretRecordsEndpoints(deps: {
  db: Db;
  access: Access;
  integrations: IntegrationsStore;
  records: SecretRecordsStore;
  recordActivity: RecordActivity;
}): Endpoint[] {
  const { db, access, records } = deps;

  const find = (principal: Principal, id: string, mode: AccessMode, absent: ErrorCode) =>
    access.find(principal, mode, absent, (projectIds) => deps.integrations.find(db, id, projectIds));

  const list = endpoint({
    operationId: 'listIntegrationSecrets',
    method: 'get',
    path: '/integrations/{id}/secrets',
    summary: 'List what is known of the secrets',
    description:
      'When each secret was set, last accepted and last refused by the provider; never the secret.',
    tag: 'Integrations',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'integrations:read',
    params: integrationParams,
    success: { status: 200, schema: secretRecordList, description: 'The secrets that there are' },
    errors: ['integration_not_found'],
    async handler({ principal, params }) {
      const integration = await find(principal, params.id, 'read', 'integration_not_found');
      const found = await records.list(db, integration);
      return { body: { secrets: found.map(wire) } };
    },
  });

  const dropOlder = endpoint({
    operationId: 'deleteIntegrationSecret',
    method: 'delete',
    path: '/integrations/{id}/secrets/{secretId}',
    summary: 'Drop the older secret',
    description: 'Ends the overlap of a rotation before its seven days are over. The newer secret stays.',
    tag: 'Integrations',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    params: secretRecordParams,
    success: { status: 204, description: 'Dropped' },
    errors: ['integration_secret_not_found', 'secret_in_use'],
    async handler({ principal, params }) {
      const integration = await find(principal, params.id, 'write', 'integration_secret_not_found');
      await db.transaction(async (trx) => {
        const found = await records.find(trx, integration, params.secretId);
        if (found === undefined) throw new HttpError('integration_secret_not_found');
        if (found.age === 'newer') throw new HttpError('secret_in_use');
        if (!(await records.dropOlder(trx, integration, found.kind))) {
          throw new HttpError('integration_secret_not_found');
        }
        await deps.recordActivity(trx, {
          actor: principal,
          action: 'integration.secret_deleted',
          projectId: integration.projectId,
          subjectId: integration.id,
          details: { kind: found.kind, secretId: found.id },
        });
      });
      return {};
    },
  });

  return [list, dropOlder];
}

function wire(record: SecretRecord) {
  return {
    id: record.id,
    kind: record.kind,
    age: record.age,
    createdAt: record.createdAt.toISOString(),
    createdBy: record.createdBy,
    lastWorkedAt: record.lastWorkedAt?.toISOString() ?? null,
    lastRefusedAt: record.lastRefusedAt?.toISOString() ?? null,
    expiresAt: writeTime(record.expiresAt?.getTime() ?? null),
    triedUntil: record.triedUntil?.toISOString() ?? null,
  };
}
