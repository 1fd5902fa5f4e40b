import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startSampleApp } from './server.ts';

const USAGE = `Sample application: its users connect a CRM account and see their contacts.

  node examples/sample-app/main.ts --project-id <uuid> --key-id <kid> --private-key-file key.pem
    [--gateway-url http://localhost:3000] [--provider demo-crm] [--port 4000]

The key is an EC P-256 private key in PEM; its public half is a signing key of the project:
  openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out key.pem
  openssl pkey -in key.pem -pubout
The project must list the app's origin among its allowed origins and its address, with the slash, among its return URLs.`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4000' },
    'gateway-url': { type: 'string', default: 'http://localhost:3000' },
    'project-id': { type: 'string' },
    'private-key-file': { type: 'string' },
    'key-id': { type: 'string' },
    provider: { type: 'string', default: 'demo-crm' },
  },
});

const { 'project-id': projectId, 'private-key-file': privateKeyFile, 'key-id': keyId } = values;

if (projectId === undefined || privateKeyFile === undefined || keyId === undefined) {
  console.error(USAGE);
  process.exitCode = 1;
} else {
  const app = await startSampleApp({
    port: Number(values.port),
    gatewayUrl: values['gateway-url'],
    provider: values.provider,
    projectId,
    privateKey: readFileSync(privateKeyFile, 'utf8'),
    keyId,
  });
  console.log(`Sample app at ${app.url}`);
  process.once('SIGINT', app.close);
  process.once('SIGTERM', app.close);
}
