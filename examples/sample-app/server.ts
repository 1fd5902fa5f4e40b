import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import express, { type Express } from 'express';
import jwt from 'jsonwebtoken';
import { startListening } from '../listening-server.ts';
import { createAgentRouter } from './agent/agent.router.ts';
import { createEventsRouter, readEvents } from './gateway-events.ts';
import { createLiveChanges, type LiveChanges } from './live-changes.ts';
import { createSignIn, type SignIn } from './sign-in.ts';

export type SampleAppOptions = {
  /** The gateway's PUBLIC_URL. The project lists this app's origin as an allowed origin, its address as a return URL. */
  readonly gatewayUrl: string;
  readonly projectId: string;
  /** EC P-256 private key whose public half is a signing key of the project, and the id that the gateway gave to it. */
  readonly privateKey: KeyObject | string;
  readonly keyId: string;
  /** The provider's short name in the gateway's catalog. */
  readonly provider?: string;
  /** How the app learns what changes at the provider; it shows no changes where this is left out. */
  readonly events?: EventsFrom;
  /** An API key of the project with the scope `approvals`; without one the app has no page with an agent. */
  readonly agentKey?: string;
  /** A page of the provider that the app's page links to. */
  readonly providerUrl?: string;
  /** 0 takes a free port. */
  readonly port?: number;
  readonly host?: string;
  /** Address by which browsers reach the app, if not the one it listens on. No trailing slash. */
  readonly publicUrl?: string;
};

/**
 * `feed`: the app asks the gateway, with the project's API key. `deliveries`: the gateway sends to /gateway-events, where
 * the secret of an event destination proves it.
 */
export type EventsFrom =
  | { readonly by: 'feed'; readonly apiKey: string }
  | { readonly by: 'deliveries'; readonly secret: string };

export type SampleApp = { readonly url: string; readonly close: () => Promise<void> };

/** Short, so that few tokens are to be revoked after an incident. The SDK simply asks for the next one. */
const TOKEN_LIFETIME_SECONDS = 10 * 60;
const PROVIDER = 'demo-crm';
const PUBLIC_DIRECTORY = fileURLToPath(new URL('./public', import.meta.url));

/**
 * The one thing that your backend has to do: say who its user is. A JWT (RFC 7519) signed with your key, whose subject is
 * the user's id in your own database. Provider credentials never come near it.
 */
function signUserToken(
  userId: string,
  { projectId, privateKey, keyId }: SampleAppOptions,
  claims: object = {},
): string {
  return jwt.sign(claims, privateKey, {
    algorithm: 'ES256',
    keyid: keyId,
    subject: userId,
    audience: projectId,
    expiresIn: TOKEN_LIFETIME_SECONDS,
  });
}

function createApp(options: SampleAppOptions, publicUrl: string, changes: LiveChanges): Express {
  const { gatewayUrl, projectId, provider = PROVIDER, providerUrl, events, agentKey } = options;
  const signIn = createSignIn({ secureCookie: publicUrl.startsWith('https:') });
  const app = express();
  app.disable('x-powered-by');
  app.use(sendSecurityHeaders(new URL(gatewayUrl).origin));
  if (events?.by === 'deliveries') {
    app.use(createEventsRouter({ secret: events.secret, publish: changes.publish }));
  }
  app.use(signIn.router);

  // Never sign for any user but the one who is signed in.
  app.get('/token', signIn.required, (req, res) => {
    res
      .set('Cache-Control', 'no-store')
      .type('text')
      .send(signUserToken(signIn.userOf(req).id, options));
  });

  app.get('/settings', signIn.required, (req, res) => {
    res.set('Cache-Control', 'no-store').json({
      user: signIn.userOf(req),
      gatewayUrl,
      projectId,
      provider,
      providerUrl,
      showsChanges: events !== undefined,
      hasAgent: agentKey !== undefined,
    });
  });

  // Each page gets the events of its own user, and of no other.
  app.get('/changes', signIn.required, (req, res) => {
    changes.open(res, signIn.userOf(req).id, req.get('Last-Event-ID'));
  });

  if (agentKey !== undefined) app.use(createAgent(options, agentKey, signIn));

  app.get('/', signIn.orSignInPage, (_req, res) => {
    res.sendFile('index.html', { root: PUBLIC_DIRECTORY });
  });

  app.use(express.static(PUBLIC_DIRECTORY, { index: false }));
  return app;
}

/** An agent gets a token that says what it may do and who it is, never one that may do whatever its user may. */
function createAgent(options: SampleAppOptions, apiKey: string, signIn: SignIn): express.Router {
  const { gatewayUrl, projectId, provider = PROVIDER } = options;
  return createAgentRouter({
    ...{ gatewayUrl, projectId, provider, apiKey, signIn, publicDirectory: PUBLIC_DIRECTORY },
    signAgentToken: (userId, entries) =>
      signUserToken(userId, options, {
        authorization_details: entries,
        act: { sub: 'demo-agent', name: 'Demo agent' },
      }),
  });
}

/**
 * Scripts from here and the gateway (the SDK), calls to the same two, logos from the gateway. The opener policy keeps the connect window able to
 * report back at once; plain `same-origin` would send it the longer way, by the return URL.
 */
function sendSecurityHeaders(gatewayOrigin: string): express.RequestHandler {
  const contentSecurityPolicy = [
    "default-src 'none'",
    `script-src 'self' ${gatewayOrigin}`,
    `connect-src 'self' ${gatewayOrigin}`,
    "style-src 'self'",
    `img-src data: ${gatewayOrigin}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  return (_req, res, next) => {
    res.set({
      'Content-Security-Policy': contentSecurityPolicy,
      'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
    next();
  };
}

/** Starts an application whose users connect a CRM account and see their contacts, by way of the gateway. */
export async function startSampleApp(options: SampleAppOptions): Promise<SampleApp> {
  const { server, close, ...own } = await startListening(options);
  const url = options.publicUrl ?? own.url;
  const changes = createLiveChanges();
  server.on('request', createApp(options, url, changes));
  const stopReading = startReading(options, changes);
  return {
    url,
    close: () => {
      stopReading();
      return close();
    },
  };
}

/** Reads the feed in the background, where the app is set to. */
function startReading(
  { gatewayUrl, provider = PROVIDER, events }: SampleAppOptions,
  { publish }: LiveChanges,
) {
  const stopping = new AbortController();
  if (events?.by === 'feed') {
    const types = [`${provider}.*`];
    const { apiKey } = events;
    readEvents({ gatewayUrl, apiKey, types, publish, signal: stopping.signal }).catch((error: unknown) => {
      console.error(`Sample app: events are no longer read. ${error}`);
    });
  }
  return () => stopping.abort();
}

const USAGE = `Sample application: its users connect a CRM account and see their contacts.

  node examples/sample-app/server.ts --project-id <uuid> --key-id <kid> --private-key-file key.pem
    [--gateway-url http://localhost:3000] [--provider demo-crm] [--port 4000]
    [--api-key-file igk.txt | --webhook-secret-file whsec.txt]

The key is an EC P-256 private key in PEM; its public half is a signing key of the project:
  openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out key.pem
  openssl pkey -in key.pem -pubout
The project must list the app's origin among its allowed origins and its address, with the slash, among its return URLs.

With the project's API key the app shows an agent at work, reads the gateway's events and shows what changes at the provider; with the secret of an
event destination it receives them, at the app's address and /gateway-events.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '4000' },
      'gateway-url': { type: 'string', default: 'http://localhost:3000' },
      'project-id': { type: 'string' },
      'private-key-file': { type: 'string' },
      'key-id': { type: 'string' },
      provider: { type: 'string', default: PROVIDER },
      'api-key-file': { type: 'string' },
      'webhook-secret-file': { type: 'string' },
    },
  });
  const { 'project-id': projectId, 'private-key-file': privateKeyFile, 'key-id': keyId } = values;
  if (projectId === undefined || privateKeyFile === undefined || keyId === undefined) {
    console.error(USAGE);
    process.exitCode = 1;
    return;
  }
  const app = await startSampleApp({
    port: Number(values.port),
    gatewayUrl: values['gateway-url'],
    provider: values.provider,
    privateKey: readFileSync(privateKeyFile, 'utf8'),
    projectId,
    keyId,
    ...eventsOf(values['api-key-file'], values['webhook-secret-file']),
    ...agentOf(values['api-key-file']),
  });
  console.log(`Sample app at ${app.url}`);
  process.once('SIGINT', app.close);
  process.once('SIGTERM', app.close);
}

function agentOf(apiKeyFile: string | undefined): Pick<SampleAppOptions, 'agentKey'> {
  return apiKeyFile === undefined ? {} : { agentKey: readFileSync(apiKeyFile, 'utf8').trim() };
}

function eventsOf(
  apiKeyFile: string | undefined,
  secretFile: string | undefined,
): Pick<SampleAppOptions, 'events'> {
  const read = (file: string) => readFileSync(file, 'utf8').trim();
  if (secretFile !== undefined) return { events: { by: 'deliveries', secret: read(secretFile) } };
  if (apiKeyFile !== undefined) return { events: { by: 'feed', apiKey: read(apiKeyFile) } };
  return {};
}

if (import.meta.main) await main();
