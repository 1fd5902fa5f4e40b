import { verifyWebhook, WebhookVerificationError } from '@integration-gateway/node';
import express from 'express';
import pg from 'pg';

// The newest first; two while you rotate.
const secrets = process.env.EVENT_SECRETS.split(' ');
const db = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const app = express();

// The signature covers the raw body, so no express.json() may read it before.
app.post('/events', express.raw({ type: () => true, limit: '8mb' }), async (request, response) => {
  try {
    await verifyWebhook(request, secrets);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(400).send(error.code);
    return;
  }
  const id = request.get('webhook-id');
  const { rowCount } = await db.query(
    'INSERT INTO inbox (id, body) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
    [id, request.body.toString()],
  );
  // Express answers 500 where the insert threw, and the gateway sends the event again.
  response.status(204).end();
  if (rowCount === 1) console.log('stored', id);
});

app.listen(Number(process.env.PORT));
