import { verifyWebhook, WebhookVerificationError } from '@integration-gateway/node';
import fastify from 'fastify';
import pg from 'pg';

// The newest first; two while you rotate.
const secrets = process.env.EVENT_SECRETS.split(' ');
const db = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const app = fastify({ bodyLimit: 8 * 1024 * 1024 });

// A plugin of its own, so that your other routes keep Fastify's JSON parser.
app.register(async (events) => {
  events.removeAllContentTypeParsers();
  events.addContentTypeParser('*', { parseAs: 'string' }, async (_request, body) => body);

  events.post('/events', async (request, reply) => {
    const body = String(request.body);
    try {
      await verifyWebhook({ headers: request.headers, body }, secrets);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return reply.code(400).send(error.code);
    }
    const id = request.headers['webhook-id'];
    const { rowCount } = await db.query(
      'INSERT INTO inbox (id, body) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
      [id, body],
    );
    if (rowCount === 1) console.log('stored', id);
    // Fastify answers 500 where the insert threw, and the gateway sends the event again.
    return reply.code(204).send();
  });
});

await app.listen({ port: Number(process.env.PORT) });
