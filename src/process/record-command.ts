import { join } from 'node:path';
import type { Log } from '#embedded-postgres/types.ts';
import { createRecordActivity, type RecordActivity } from '../activity/record.ts';
import type { Config } from '../config.ts';
import { createEnqueueAuditEvents } from '../events/gateway-events/audit-events.ts';
import { enqueueEvents } from '../events/stream/outbox.store.ts';
import { createDataKeys } from '../platform/data-keys.ts';
import type { Db } from '../platform/postgres/database.ts';
import { openVault, readKeyFile, withWrappedKeys } from './store.ts';

/**
 * Records what a command does, and keeps it as an event for destinations that take the audit log: a gateway that runs
 * publishes it within seconds. Keys that cannot be had keep no administrator from freezing a project.
 */
export function createRecordCommand(settings: Config, log: Log): RecordActivity {
  const enqueueAudit = createEnqueueAuditEvents({
    async enqueue(trx, projectId, events) {
      await enqueueEvents(
        trx,
        createDataKeys({ vault: await openKeys(trx, settings, log) }),
        projectId,
        events,
      );
    },
  });
  return createRecordActivity({
    announce: () => undefined,
    async onRecorded(trx, _changes, entries) {
      try {
        await trx.transaction((within) => enqueueAudit(within, entries));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({}, `The audit log has it, and no destination of events will: ${reason}`);
      }
    },
  });
}

async function openKeys(db: Db, settings: Config, log: Log) {
  const { encryptionKeys, databaseUrl, dataDir } = settings;
  const ofFile = () =>
    databaseUrl === undefined ? readKeyFile(join(dataDir, 'encryption-keys'), log) : undefined;
  return openVault(await withWrappedKeys(db, settings, log, encryptionKeys ?? ofFile()));
}
