import { randomBytes } from 'node:crypto';
import { composeGateway } from '../../src/compose/gateway.ts';
import { loadConfig } from '../../src/config.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createDatabase } from '../../src/platform/postgres/database.ts';
import { openCatalog } from '../../src/process/catalog-in-use.ts';
import { openVault } from '../../src/process/store.ts';

/** What every operation declares, by its id. Composing a gateway connects to nothing. */
export async function readDeclarations(): Promise<ReadonlyMap<string, Endpoint>> {
  const config = loadConfig({}, '/nonexistent');
  const url = 'postgresql://localhost/unused';
  const log = createLogger({ level: 'silent' });
  const database = createDatabase({ url, applicationName: 'declarations', poolMax: 2 });
  const gateway = composeGateway({
    config,
    database,
    directUrl: url,
    vault: openVault(`unused:${randomBytes(32).toString('base64')}`),
    ...(await openCatalog(config, log)),
    log,
    isDraining: () => false,
  });
  await gateway.stop();
  await database.close();
  return new Map(gateway.endpoints.map((endpoint) => [endpoint.operationId, endpoint]));
}
