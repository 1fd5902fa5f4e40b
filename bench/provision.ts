import { generateKeyPairSync } from 'node:crypto';
import jwt from 'jsonwebtoken';

/**
 * Sets a fresh gateway up through its public API, from a process of its own: requests that the gateway's process made
 * itself would change how V8 compiles its HTTP code. Prints `{ url, headers, others, project }`:
 * a proxied call, what the variants that share the process send, and what it takes to make further connections.
 */
const [port = '', setupToken = ''] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}`;
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
/** Of a named mandate and of the token: both judge each call. */
const entries = [
  { type: 'gateway_access', provider: 'bench', access: 'write', methods: ['PATCH'], paths: ['/v1/things/*'] },
  { type: 'gateway_access', provider: 'bench', access: 'read', paths: ['/v1/**'] },
];
const mandate = await post(
  `/projects/${setup.project.id}/mandates`,
  { name: 'Bench', entries },
  setup.apiKey.key,
);

function sign(rights: Readonly<Record<string, unknown>>): string {
  return jwt.sign({ email: 'ada@example.com', name: 'Ada Lovelace', ...rights }, privateKey, {
    algorithm: 'ES256',
    keyid: signingKey.kid,
    subject: 'user-1',
    audience: setup.project.id,
    expiresIn: '1h',
  });
}

const path = '/v1/things/crm/v3/objects/contacts';
const proxied = `${url}/projects/${setup.project.id}/proxy/bench${path}?limit=10`;
const authorization = `Bearer ${sign({})}`;
const read = { name: 'read', arguments: { provider: 'bench', path, query: 'limit=10' } };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const toDoor = {
  Authorization: authorization,
  Accept: 'application/json, text/event-stream',
  'Content-Type': 'application/json',
};
const others = {
  'gateway-mandate': {
    url: proxied,
    headers: {
      Authorization: `Bearer ${sign({ gateway_mandate: mandate.id, authorization_details: entries })}`,
    },
  },
  'gateway-agent': {
    url: `${url}/projects/${setup.project.id}/mcp`,
    headers: {
      ...toDoor,
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'read',
    },
    body: call({ ...read, _meta: envelope }),
  },
  'gateway-agent-2025': {
    url: `${url}/projects/${setup.project.id}/mcp`,
    headers: { ...toDoor, 'MCP-Protocol-Version': '2025-11-25' },
    body: call(read),
  },
};

function call(params: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

const project = {
  id: setup.project.id,
  apiKey: setup.apiKey.key,
  integrationId: integration.id,
  signingKey: { kid: signingKey.kid, pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) },
};
process.stdout.write(
  JSON.stringify({ url: proxied, headers: { Authorization: authorization }, others, project }),
);
