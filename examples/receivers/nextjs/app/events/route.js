import { verifyWebhook, WebhookVerificationError } from '@integration-gateway/node';
import pg from 'pg';

// The edge runtime has no node:crypto.
export const runtime = 'nodejs';

// The newest first; two while you rotate.
const secrets = process.env.EVENT_SECRETS.split(' ');
const db = new pg.Pool({ connectionString: process.env.DATABASE_URL });

/** @param {Request} request */
export async function POST(request) {
  const { headers } = request;
  const body = await request.text();
  try {
    await verifyWebhook({ headers, body }, secrets);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return new Response(error.code, { status: 400 });
  }
  const id = headers.get('webhook-id');
  const { rowCount } = await db.query(
    'INSERT INTO inbox (id, body) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
    [id, body],
  );
  if (rowCount === 1) console.log('stored', id);
  // Next.js answers 500 where the insert threw, and the gateway sends the event again.
  return new Response(null, { status: 204 });
}
