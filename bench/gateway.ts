import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import jwt from 'jsonwebtoken';

/**
 * The gateway itself, started as `npm start` does with its embedded Postgres, set up through its public API: a provider
 * file for the upstream, an integration, a signing key, an imported connection. Tells its parent the address and the
 * headers of a proxied call by message; its log goes to standard output like that of any gateway.
 */
const { values: options } = parseArgs({
  options: { upstream: { type: 'string' }, port: { type: 'string' } },
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
});
await import('../src/main.ts');

const url = `http://127.0.0.1:${options.port}`;
while (
  !(await fetch(`${url}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  ))
) {
  await new Promise((resolve) => setTimeout(resolve, 50));
}

async function post(path: string, body: unknown, bearer?: string) {
  const answer = await fetch(`${url}/v1${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(bearer && { Authorization: `Bearer ${bearer}` }) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const setup = await post('/setup', {
  token: setupToken,
  email: 'bench@example.test',
  password: 'a long enough password',
});
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signingKey = await post(
  `/projects/${setup.project.id}/signing-keys`,
  { alg: 'ES256', publicKey: publicKey.export({ type: 'spki', format: 'pem' }) },
  setup.personalAccessToken.token,
);
const integration = await post(
  '/integrations',
  { serviceProvider: 'bench', clientId: 'c', clientSecret: 's', scopes: ['read'] },
  setup.apiKey.key,
);
await post(
  '/connections',
  { integrationId: integration.id, userId: 'user-1', credentials: { accessToken: 'a'.repeat(120) } },
  setup.apiKey.key,
);
const token = jwt.sign({ email: 'ada@example.com', name: 'Ada Lovelace' }, privateKey, {
  algorithm: 'ES256',
  keyid: signingKey.kid,
  subject: 'user-1',
  audience: setup.project.id,
  expiresIn: '1h',
});
process.send?.({
  url: `${url}/projects/${setup.project.id}/proxy/bench/v1/things`,
  headers: { Authorization: `Bearer ${token}` },
  dataDir: join(folder, 'data'),
});
