import { createInterface } from 'node:readline/promises';
import { createGatewayClient } from '@integration-gateway/node';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { askModel } from './model.js';
import { runScript } from './script.js';

const { GATEWAY_URL, PROJECT_ID, PROVIDER, GATEWAY_API_KEY } = process.env;
/** Stands for the user who is signed in to your application. */
const USER_ID = 'user-ada';
/** All that the agent may do: read, and create contacts. It cannot change or delete one, whatever it is talked into. */
const MANDATE = [
  { type: 'gateway_access', provider: PROVIDER, access: 'read' },
  {
    ...{ type: 'gateway_access', provider: PROVIDER, access: 'write' },
    ...{ methods: ['POST'], paths: ['/crm/v3/objects/contacts'] },
  },
];

// Your backend's part: it holds the API key, and gives the agent a short-lived token of its user.
const gateway = createGatewayClient({ url: GATEWAY_URL, apiKey: GATEWAY_API_KEY });
const { token } = await gateway.userTokens.create({
  ...{ userId: USER_ID, expiresIn: 600, mandate: MANDATE },
  actor: { id: 'example-agent', name: 'Example agent' },
});

const client = new Client({ name: 'example-agent', version: '1.0.0' });
const address = new URL(`${GATEWAY_URL}/projects/${PROJECT_ID}/mcp`);
await client.connect(
  new StreamableHTTPClientTransport(address, {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  }),
);
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const task = process.argv[2];
try {
  if (task === undefined) await runScript({ callTool, provider: PROVIDER, gateway, say: console.log });
  else {
    const { tools } = await client.listTools();
    console.log(await askModel({ task, tools, callTool, settings: process.env }));
  }
} finally {
  terminal.close();
  await client.close();
}

/** Calls a tool of the gateway. Where an account is missing its user connects one, and the call is made again. */
async function callTool(name, given) {
  const call = (tool, values) => client.callTool({ name: tool, arguments: values });
  console.log(`→ ${name} ${JSON.stringify(given)}`);
  const answer = await call(name, given);
  const { code, connectUrl } = answer.structuredContent ?? {};
  if (code !== 'connection_needed' && connectUrl === undefined) return answer;
  const url = connectUrl ?? (await call('connect', { provider: PROVIDER })).structuredContent.connectUrl;
  // The link counts only together with a token of the same user, so that a link that is sent to another person connects nothing.
  console.log(`Connect your account: ${url}`);
  const completionCode = (await terminal.question('The code that the last page shows: ')).trim();
  await call('connect', { provider: PROVIDER, completionCode });
  return call(name, given);
}
