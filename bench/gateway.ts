import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';

/**
 * The gateway itself, started as `npm start` does with its embedded Postgres, set up through its public API: a provider
 * file for the upstream, an integration, a signing key, an imported connection. Tells its parent the address and the
 * headers of a proxied call by message; its log goes to standard output like that of any gateway.
 */
const { values: options } = parseArgs({
  options: {
    upstream: { type: 'string' },
    port: { type: 'string' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'bench-gateway-'));
// As root the embedded Postgres runs under another user, who has to get through.
chmodSync(folder, 0o755);
writeFileSync(
  join(folder, 'bench.yaml'),
  `id: bench
name: Bench
auth: oauth2
authorizationUrl: ${options.upstream}/authorize
tokenUrl: ${options.upstream}/token
apiBaseUrl: ${options.upstream}
`,
);
const setupToken = 'bench-setup-token-0123456789';
Object.assign(process.env, {
  PORT: options.port,
  DATA_DIR: join(folder, 'data'),
  CATALOG_DIR: folder,
  ALLOW_PRIVATE_NETWORKS: 'true',
  SETUP_TOKEN: setupToken,
  RATE_LIMIT_PROXY_PER_MINUTE: '1000000000',
  RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0',
});
await import('../src/main.ts');

const provision = [join(import.meta.dirname, 'provision.ts'), String(options.port), setupToken];
const { stdout } = await promisify(execFile)(process.execPath, provision);
process.send?.({ ...JSON.parse(stdout), dataDir: join(folder, 'data') });
