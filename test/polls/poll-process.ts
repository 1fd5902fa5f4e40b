import { createDatabase } from '../../src/platform/postgres/database.ts';
import { createVault, parseEncryptionKeys } from '../../src/platform/vault.ts';
import { createPollRunner } from './poll-runner.ts';

/**
 * Runs one poll until its run is over: what a gateway's process does for a job of the queue, without the rest of a
 * gateway, so that a test can afford to kill many. Arguments: store, encryption key, CRM, key of the job.
 */
const [url = '', encryptionKey = '', crmUrl = '', jobKey = ''] = process.argv.slice(2);
const database = createDatabase({ url, applicationName: 'polling', poolMax: 2 });
const vault = createVault(parseEncryptionKeys(encryptionKey));
const { runPoll, outcomes } = createPollRunner({ db: database.knex, vault, crmUrl });
while (outcomes.length === 0) await runPoll(jobKey, new AbortController().signal);
await database.close();
process.exitCode = outcomes[0] === 'completed' ? 0 : 1;
