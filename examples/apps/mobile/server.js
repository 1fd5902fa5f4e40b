import { createHmac, timingSafeEqual } from 'node:crypto';
import { createGatewayClient, WebhookVerificationError } from '@integration-gateway/node';
import express from 'express';

const { APP_URL, EVENT_SECRET, GATEWAY_API_KEY, GATEWAY_URL, PORT, PROJECT_ID, PROVIDER, SESSION_SECRET } =
  process.env;
// An empty key signs as well: whoever forgot to set it would have sessions that any caller can write.
if (!SESSION_SECRET) throw new Error('SESSION_SECRET is not set; see .env.example');
const gateway = createGatewayClient({
  url: GATEWAY_URL,
  apiKey: GATEWAY_API_KEY,
  webhookSecret: EVENT_SECRET,
});
const SESSION_MS = 8 * 60 * 60 * 1000;
/** Stands for the users of your own database. */
const USERS = new Set(['user-ada', 'user-ben']);
/** The latest events of each user. Keep yours in a database. */
const received = new Map();

const app = express();
app.disable('x-powered-by');

// Sent by the gateway. The signature covers the raw body, and an answer of 2xx means that the event is safe here.
app.post('/events', express.raw({ type: () => true, limit: '8mb' }), async (request, response) => {
  try {
    keep(await gateway.webhooks.verify(request));
    response.status(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(400).send(error.code);
  }
});

// Stands for your own sign-in. The phone sends its session in a header, which no other site can make a browser send.
app.post('/sign-in', express.json({ limit: '4kb' }), (request, response) => {
  const id = request.body?.user;
  if (!USERS.has(id)) return response.status(400).send('no such user');
  const value = `${id}.${Date.now() + SESSION_MS}`;
  response.set('Cache-Control', 'no-store').json({
    session: `${value}.${sign(value).toString('base64url')}`,
    ...{ gatewayUrl: GATEWAY_URL, projectId: PROJECT_ID, provider: PROVIDER },
  });
});

// For the user who is signed in, never for one whom the request names. Short-lived: the phone asks again.
app.post('/token', requireUser, async (request, response) => {
  const { token } = await gateway.userTokens.create({ userId: request.userId, expiresIn: 600 });
  response.set('Cache-Control', 'no-store').type('text').send(token);
});

app.get('/received', requireUser, (request, response) => {
  response.set('Cache-Control', 'no-store').json(received.get(request.userId) ?? []);
});

// Where the gateway's page ends. It takes the outcome, which stands in the fragment, back to the application.
app.get('/connected', (_request, response) => {
  response.set({
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy':
      "default-src 'none'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'",
  });
  response.sendFile('connected.html', { root: import.meta.dirname });
});
app.get('/connected.js', (_request, response) =>
  response.sendFile('connected.js', { root: import.meta.dirname }),
);

app.listen(Number(PORT), () => console.log(`The backend listens at ${APP_URL}`));

function sign(value) {
  return createHmac('sha256', SESSION_SECRET).update(value).digest();
}

function requireUser(request, response, next) {
  const [id = '', until = '', signature = ''] = (request.get('authorization') ?? '')
    .replace(/^Bearer /, '')
    .split('.');
  const [given, expected] = [Buffer.from(signature, 'base64url'), sign(`${id}.${until}`)];
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
  if (!isSigned || Number(until) < Date.now()) return response.status(401).send('not signed in');
  request.userId = id;
  next();
}

/** Each event comes at least once, always under the same id. */
function keep(event) {
  const events = received.get(event.userId) ?? [];
  if (events.some(({ id }) => id === event.id)) return;
  received.set(event.userId, [event, ...events].slice(0, 20));
}
