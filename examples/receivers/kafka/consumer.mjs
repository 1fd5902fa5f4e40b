import { verifyWebhook, WebhookVerificationError } from '@integration-gateway/node';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';

const { DATABASE_URL, EVENT_SECRETS = '', KAFKA_BROKERS = '', KAFKA_TOPIC = '' } = process.env;
// The newest first; two while you rotate.
const secrets = EVENT_SECRETS.split(' ');
const db = new pg.Pool({ connectionString: DATABASE_URL });
const kafka = new Kafka({ brokers: KAFKA_BROKERS.split(','), logLevel: logLevel.ERROR });
const consumer = kafka.consumer({ groupId: 'inbox' });

await consumer.connect();
await consumer.subscribe({ topic: KAFKA_TOPIC, fromBeginning: true });
await consumer.run({
  // Where it throws, the offset stays, and the record comes again.
  eachMessage: async ({ message: { headers = {}, value } }) => {
    const fields = Object.entries(headers).map(([name, text]) => [name, String(text)]);
    const request = { headers: Object.fromEntries(fields), body: value ?? '' };
    try {
      // A record may have been in the topic for long: its age says nothing.
      await verifyWebhook(request, secrets, { toleranceSeconds: Number.POSITIVE_INFINITY });
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      console.log('not signed for us', error.code);
      return;
    }
    const id = request.headers['webhook-id'];
    const { rowCount } = await db.query(
      'INSERT INTO inbox (id, body) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
      [id, String(request.body)],
    );
    if (rowCount === 1) console.log('stored', id);
  },
});
