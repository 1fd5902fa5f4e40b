import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import express, { type Express } from 'express';
import { createSignIn } from './sign-in.ts';
import { signUserToken, type UserTokenSigner } from './user-token.ts';

export type SampleAppOptions = UserTokenSigner & {
  /** 0 takes a free port. */
  readonly port?: number;
  readonly host?: string;
  /** Address by which browsers reach the app, if not the one it listens on. No trailing slash. */
  readonly publicUrl?: string;
  /** The gateway's PUBLIC_URL. It must list this app's origin among the project's allowed origins. */
  readonly gatewayUrl: string;
  /** The provider's short name in the gateway's catalog. */
  readonly provider?: string;
};

export type SampleApp = { readonly url: string; readonly close: () => Promise<void> };

const PUBLIC_DIRECTORY = fileURLToPath(new URL('./public', import.meta.url));

/** Starts an application whose users connect a CRM account and see their contacts, by way of the gateway. */
export async function startSampleApp(options: SampleAppOptions): Promise<SampleApp> {
  const { port = 0, host = '127.0.0.1' } = options;
  const server = createServer();
  await listen(server, port, host);
  const url = options.publicUrl ?? addressOf(server, host);
  server.on('request', createApp(options, url));
  return { url, close: () => close(server) };
}

function createApp(options: SampleAppOptions, publicUrl: string): Express {
  const { gatewayUrl, projectId, provider = 'demo-crm' } = options;
  const { router: signInRouter, currentUser } = createSignIn({
    secureCookie: publicUrl.startsWith('https:'),
  });
  const app = express();
  app.disable('x-powered-by');
  app.use(sendSecurityHeaders(new URL(gatewayUrl).origin));
  app.use(signInRouter);

  // The one endpoint that your own backend needs. Never sign for anybody but the user who is signed in.
  app.get('/token', (req, res) => {
    const user = currentUser(req);
    if (!user) {
      res.status(401).json({ error: 'Nobody is signed in' });
      return;
    }
    res.set('Cache-Control', 'no-store').json(signUserToken(user.id, options));
  });

  app.get('/settings', (req, res) => {
    const user = currentUser(req);
    if (!user) {
      res.status(401).json({ error: 'Nobody is signed in' });
      return;
    }
    res.set('Cache-Control', 'no-store').json({ user, gatewayUrl, projectId, provider });
  });

  app.get('/', (req, res) => {
    if (!currentUser(req)) {
      res.redirect(303, '/sign-in');
      return;
    }
    res.sendFile('index.html', { root: PUBLIC_DIRECTORY });
  });

  app.use(express.static(PUBLIC_DIRECTORY, { index: false }));
  return app;
}

/**
 * Scripts and styles from here only, calls to the gateway only. The opener policy keeps the connect window able to
 * report back; plain `same-origin` would cut it off.
 */
function sendSecurityHeaders(gatewayOrigin: string): express.RequestHandler {
  const contentSecurityPolicy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    `connect-src 'self' ${gatewayOrigin}`,
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

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function addressOf(server: Server, host: string): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no TCP port');
  return `http://${host}:${address.port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
