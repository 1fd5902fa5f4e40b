import { createGatewayClient, WebhookVerificationError } from '@integration-gateway/node';
import cookieSession from 'cookie-session';
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

/** Stands for the users of your own database. */
const USERS = { 'user-ada': 'Ada', 'user-ben': 'Ben' };
/** The latest events of each user. Keep yours in a database. */
const received = new Map();

const app = express();
app.disable('x-powered-by');

app.use((_request, response, next) => {
  response.set(
    'Content-Security-Policy',
    `default-src 'self'; script-src 'self' ${GATEWAY_URL}; connect-src 'self' ${GATEWAY_URL}; img-src data:; frame-ancestors 'none'; base-uri 'none'`,
  );
  next();
});

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

app.use(
  cookieSession({
    name: 'session',
    keys: [SESSION_SECRET],
    httpOnly: true,
    sameSite: 'lax',
    secure: APP_URL.startsWith('https:'),
    maxAge: 8 * 60 * 60 * 1000,
  }),
);

// Against cross-site request forgery: browsers say which page sends a POST.
app.post('/{*path}', (request, response, next) => {
  if (request.get('origin') === APP_URL) next();
  else response.status(403).send('another site');
});

app.post('/sign-in', express.urlencoded({ extended: false }), (request, response) => {
  const id = request.body?.user;
  if (Object.hasOwn(USERS, id)) request.session.userId = id;
  response.redirect(303, '/');
});

app.post('/sign-out', (request, response) => {
  request.session = null;
  response.redirect(303, '/');
});

app.get('/session', (request, response) => {
  const id = request.session.userId;
  response.set('Cache-Control', 'no-store').json({
    user: id ? { id, name: USERS[id] } : null,
    gatewayUrl: GATEWAY_URL,
    projectId: PROJECT_ID,
    provider: PROVIDER,
  });
});

// For the user who is signed in, never for one whom the request names. Short-lived: the page asks again.
app.post('/token', requireUser, async (request, response) => {
  const { token } = await gateway.userTokens.create({ userId: request.session.userId, expiresIn: 600 });
  response.set('Cache-Control', 'no-store').type('text').send(token);
});

app.get('/received', requireUser, (request, response) => {
  response.set('Cache-Control', 'no-store').json(received.get(request.session.userId) ?? []);
});

app.use(express.static(new URL('public', import.meta.url).pathname));

app.listen(Number(PORT), () => console.log(`Open ${APP_URL}`));

function requireUser(request, response, next) {
  if (request.session.userId) next();
  else response.status(401).send('not signed in');
}

/** Each event comes at least once, always under the same id. */
function keep(event) {
  const events = received.get(event.userId) ?? [];
  if (events.some(({ id }) => id === event.id)) return;
  received.set(event.userId, [event, ...events].slice(0, 20));
}
