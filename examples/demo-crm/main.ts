import { parseArgs } from 'node:util';
import { startDemoCrm } from './server.ts';

const USAGE = `Demo CRM: an OAuth 2.0 server and a contacts API to try integrations against.

  node examples/demo-crm/main.ts [--port 4001] [--redirect-uri http://localhost:3000/oauth/callback]`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4001' },
    'client-id': { type: 'string', default: 'demo-client' },
    'client-secret': { type: 'string', default: 'demo-secret' },
    'redirect-uri': { type: 'string', multiple: true, default: ['http://localhost:3000/oauth/callback'] },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(USAGE);
} else {
  const { 'client-id': clientId, 'client-secret': clientSecret, 'redirect-uri': redirectUris } = values;
  const crm = await startDemoCrm({
    port: Number(values.port),
    clients: [{ clientId, clientSecret, redirectUris, name: 'Sample App' }],
    log: console.log,
  });
  console.log(`Demo CRM at ${crm.url}\n  client ID ${clientId}\n  client secret ${clientSecret}`);
  console.log(`  redirect URL ${redirectUris.join(', ')}`);
  process.once('SIGINT', crm.close);
  process.once('SIGTERM', crm.close);
}
