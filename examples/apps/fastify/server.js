import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import files from '@fastify/static';
import { signUserToken, verifyWebhook, WebhookVerificationError } from '@integration-gateway/node';
import fastify from 'fastify';

const {
  APP_URL,
  EVENT_SECRET,
  GATEWAY_URL,
  PORT,
  PROJECT_ID,
  PROVIDER,
  SESSION_SECRET,
  SIGNING_KEY_FILE,
  SIGNING_KEY_ID,
} = process.env;
// An empty key signs as well: whoever forgot to set it would have sessions that any caller can write.
if (!SESSION_SECRET) throw new Error('SESSION_SECRET is not set; see .env.example');
// Tokens are signed here, so that no call of the gateway is needed for one.
const privateKey = createPrivateKey(readFileSync(SIGNING_KEY_FILE));

/** Stands for the users of your own database. */
const USERS = { 'user-ada': 'Ada', 'user-ben': 'Ben' };
const COOKIE = {
  ...{ path: '/', httpOnly: true, sameSite: 'lax', signed: true, maxAge: 8 * 60 * 60 },
  secure: APP_URL.startsWith('https:'),
};
const POLICY = `default-src 'self'; script-src 'self' ${GATEWAY_URL}; connect-src 'self' ${GATEWAY_URL}; img-src data:; frame-ancestors 'none'; base-uri 'none'`;
/** The latest events of each user. Keep yours in a database. */
const received = new Map();

const app = fastify({ bodyLimit: 8 * 1024 * 1024 });
await app.register(cookie, { secret: SESSION_SECRET });
await app.register(formbody);
await app.register(files, { root: new URL('public', import.meta.url).pathname });

app.addHook('onRequest', async (_request, reply) => {
  reply.header('Content-Security-Policy', POLICY);
});

// A plugin of its own: the signature covers the raw body, which no parser may touch before.
app.register(async (events) => {
  events.removeAllContentTypeParsers();
  events.addContentTypeParser('*', { parseAs: 'string' }, async (_request, body) => body);
  events.post('/events', async (request, reply) => {
    try {
      keep(await verifyWebhook({ headers: request.headers, body: String(request.body) }, EVENT_SECRET));
      return reply.code(204).send();
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return reply.code(400).send(error.code);
    }
  });
});

app.register(async (pages) => {
  pages.decorateRequest('userId', null);
  pages.addHook('onRequest', async (request, reply) => {
    // Against cross-site request forgery: browsers say which page sends a POST.
    if (request.method === 'POST' && request.headers.origin !== APP_URL)
      return reply.code(403).send('another site');
    const { valid, value } = request.unsignCookie(request.cookies.user ?? '');
    if (valid && Object.hasOwn(USERS, value)) request.userId = value;
  });

  pages.post('/sign-in', async (request, reply) => {
    const id = request.body?.user;
    if (Object.hasOwn(USERS, id)) reply.setCookie('user', id, COOKIE);
    return reply.redirect('/', 303);
  });

  pages.post('/sign-out', async (_request, reply) =>
    reply.clearCookie('user', { path: '/' }).redirect('/', 303),
  );

  pages.get('/session', async ({ userId }, reply) => {
    reply.header('Cache-Control', 'no-store');
    return {
      user: userId ? { id: userId, name: USERS[userId] } : null,
      ...{ gatewayUrl: GATEWAY_URL, projectId: PROJECT_ID, provider: PROVIDER },
    };
  });

  // For the user who is signed in, never for one whom the request names. Short-lived: the page asks again.
  pages.post('/token', { preHandler: requireUser }, async ({ userId }, reply) => {
    reply.header('Cache-Control', 'no-store').type('text/plain');
    return signUserToken({
      privateKey,
      keyId: SIGNING_KEY_ID,
      projectId: PROJECT_ID,
      userId,
      expiresIn: 600,
    });
  });

  pages.get('/received', { preHandler: requireUser }, async ({ userId }, reply) => {
    reply.header('Cache-Control', 'no-store');
    return received.get(userId) ?? [];
  });
});

await app.listen({ port: Number(PORT), host: '127.0.0.1' });
console.log(`Open ${APP_URL}`);

async function requireUser(request, reply) {
  if (request.userId === null) return reply.code(401).send('not signed in');
}

/** Each event comes at least once, always under the same id. */
function keep(event) {
  const events = received.get(event.userId) ?? [];
  if (events.some(({ id }) => id === event.id)) return;
  received.set(event.userId, [event, ...events].slice(0, 20));
}
