import { newId } from '../../src/lib/ids.ts';
import { BodyThreadsBusyError, createBodyThreads } from '../../src/webhooks/processing/body-threads.ts';
import { describeProvider } from './receiver-stage.ts';
import { signWebhook } from './sign-webhook.ts';
import { buildRequest } from './support/requests.ts';

const NOW_MS = Date.parse('2026-11-23T10:00:00.000Z');
const SECRET = 'secret';

it('a flood of large webhooks of one project neither refuses nor delays those of another by more than a turn', async () => {
  const bodyThreads = createBodyThreads();
  const description = describeProvider('hub');
  const unsigned = buildRequest({ body: Buffer.alloc(4 * 1024 * 1024, 'x') });
  const verify = (projectId: string, request: typeof unsigned) =>
    bodyThreads.verify({ projectId, description, secrets: [SECRET] }, request, NOW_MS);

  const attacker = newId();
  let judged = 0;
  let refused = 0;
  const flood = Array.from({ length: 100 }, () =>
    verify(attacker, unsigned).then(
      ({ ok }) => {
        expect(ok).toBe(false);
        judged += 1;
      },
      (error: unknown) => {
        expect(error).toBeInstanceOf(BodyThreadsBusyError);
        refused += 1;
      },
    ),
  );
  const body = Buffer.from(JSON.stringify([{ objectId: 1, text: 'x'.repeat(300_000) }]));
  const signed = signWebhook(description, buildRequest({ body }), SECRET, NOW_MS);

  expect(await verify(newId(), signed)).toMatchObject({ ok: true });
  expect(judged).toBeLessThanOrEqual(2);
  await Promise.all(flood);
  expect(judged + refused).toBe(100);
  expect(judged).toBeLessThan(20);
  await bodyThreads.close();
});
