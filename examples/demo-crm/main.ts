import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { describeKey } from './direct-access.ts';
import { CRM_USERS, DEMO_PASSWORD } from './hubs.ts';
import { CATALOG_DIRECTORY, DEMO_CRM_URL } from './provider-file.ts';
import { type DemoCrm, startDemoCrm } from './server.ts';

const USAGE = `Demo CRM: an OAuth 2.0 server and a contacts API to try integrations against.

  npm run demo:crm -- [--port 4001] [--redirect-uri http://localhost:3000/oauth/callback]
                      [--client-id demo-client] [--client-secret demo-secret]`;

const values = readOptions();

function readOptions() {
  try {
    return parseArgs({
      options: {
        port: { type: 'string', default: '4001' },
        'client-id': { type: 'string', default: 'demo-client' },
        'client-secret': { type: 'string', default: 'demo-secret' },
        'redirect-uri': { type: 'string', multiple: true, default: ['http://localhost:3000/oauth/callback'] },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(1);
  }
}

type Client = { clientId: string; clientSecret: string; redirectUris: readonly string[] };

/** `npm run demo:crm`: the demo CRM alone, for a gateway that is started by hand. */
async function main(): Promise<void> {
  const { 'client-id': clientId, 'client-secret': clientSecret, 'redirect-uri': redirectUris } = values;
  const client = { clientId, clientSecret, redirectUris };
  const crm = await startDemoCrm({
    port: Number(values.port),
    clients: [{ ...client, name: 'Sample App' }],
    log: console.log,
  });
  console.log(instructions(crm, client));
  process.once('SIGINT', crm.close);
  process.once('SIGTERM', crm.close);
}

function instructions({ url }: DemoCrm, { clientId, clientSecret, redirectUris }: Client): string {
  const catalog = relative(process.cwd(), CATALOG_DIRECTORY);
  const otherAddress =
    url === DEMO_CRM_URL ? '' : `\n  In ${catalog}/demo-crm.yaml, write ${url} for ${DEMO_CRM_URL}.`;
  return `Demo CRM at ${url}
  client id      ${clientId}
  client secret  ${clientSecret}
  redirect URL   ${redirectUris.join(', ')}
  webhooks       enter the integration's webhook URL on the page of the CRM, ${url}
  log in as      ${CRM_USERS.map(({ email }) => email).join(' or ')}, password ${DEMO_PASSWORD}
  keys           ${CRM_USERS.map(describeKey).join(', ')} (bearer tokens, for providers with API keys)

Start the gateway in a second terminal:${otherAddress}
  CATALOG_DIR=${catalog} ALLOW_PRIVATE_NETWORKS=true npm start

Ctrl-C stops the demo CRM.`;
}

if (values.help) console.log(USAGE);
else {
  await main().catch((error: NodeJS.ErrnoException) => {
    const remedy = error.code === 'EADDRINUSE' ? ' Give another port: npm run demo:crm -- --port 4002' : '';
    console.error(`The demo CRM could not start: ${error.message}.${remedy}`);
    process.exitCode = 1;
  });
}
