import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A directory for the gateway's CATALOG_DIR: it holds the provider file of a demo CRM at DEMO_CRM_URL. */
export const CATALOG_DIRECTORY = fileURLToPath(new URL('./catalog', import.meta.url));

/** Where `npm run demo:crm` starts the demo CRM unless its settings say otherwise, and what the file in the catalog says. */
export const DEMO_CRM_URL = 'http://127.0.0.1:4001';

/**
 * The gateway's catalog entry for a demo CRM at `url` (no trailing slash), as YAML. To be saved as
 * `demo-crm.yaml` in the gateway's CATALOG_DIR; a local address also needs ALLOW_PRIVATE_NETWORKS=true.
 */
export function demoCrmProviderFile(url: string): string {
  return readFileSync(`${CATALOG_DIRECTORY}/demo-crm.yaml`, 'utf8').replaceAll(DEMO_CRM_URL, url);
}
