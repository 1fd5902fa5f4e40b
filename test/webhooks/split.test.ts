import { splitWebhook } from '../../src/webhooks/split.ts';
import type { WebhookItem } from '../../src/webhooks/webhook.ts';
import { EXAMPLES } from './examples.ts';
import { HEAVY } from './support/heavy-bodies.ts';
import { DESCRIBED, descriptionOf, requestOf } from './support/requests.ts';

function split(id: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
  return splitWebhook(descriptionOf(id), requestOf({ headers, body }));
}

function itemsOf(
  id: string,
  body: string,
  headers?: Readonly<Record<string, string>>,
): readonly WebhookItem[] {
  const outcome = split(id, body, headers);
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.items;
}

function cpuMsOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

describe('a delivery of', () => {
  it.each(EXAMPLES.map((each) => [each.id, each] as const))('%s becomes its events', (id, example) => {
    const body = typeof example.body === 'string' ? example.body : JSON.stringify(example.body);
    const items = itemsOf(id, body, example.headers);
    expect(items.map(({ type, accountId, object }) => [type, accountId, object?.id ?? null])).toEqual(
      example.events.map(([type, ...rest]) => [`${id}.${type}`, ...rest]),
    );
    for (const item of items) expect(() => JSON.parse(item.dataText)).not.toThrow();
  });
});

describe('an event', () => {
  const retry = (attemptNumber: number) =>
    `[{"eventId":1,"subscriptionId":2,"portalId":3,"occurredAt":1564113600000,"subscriptionType":"contact.creation","attemptNumber":${attemptNumber},"objectId":4}]`;

  it('has the same key in every attempt, and tells when it happened', () => {
    const [[first], [again]] = [itemsOf('hubspot', retry(0)), itemsOf('hubspot', retry(3))];
    expect(again?.dedupeKey).toBe(first?.dedupeKey);
    expect(first?.occurredAt).toEqual(new Date(1564113600000));
    expect(first?.dataText).toContain('"attemptNumber":0');
  });

  it('has another key for another account', () => {
    const body = (account: string) => `{"id":"evt_1","type":"a.created","account":"${account}"}`;
    const [[one], [two]] = [itemsOf('stripe', body('acct_1')), itemsOf('stripe', body('acct_2'))];
    expect(one?.dedupeKey).not.toBe(two?.dedupeKey);
  });

  it('is known by its bytes where the provider gives it no id', () => {
    const keyOf = (body: string) => itemsOf('gorgias', body)[0]?.dedupeKey;
    expect(keyOf('{"a":1}')).toMatch(/^sha256:/);
    expect(keyOf('{"a":1}')).toBe(keyOf('{"a":1}'));
    expect(keyOf('{"a":2}')).not.toBe(keyOf('{"a":1}'));
  });

  it('keeps the bytes of the provider: numbers, order and blanks', () => {
    const item =
      '{"subscriptionType": "deal.propertyChange", "objectId":12345678901234567890, "propertyValue":1.10, "z":1e5,"a":-0}';
    const [first, second] = itemsOf('hubspot', ` [ ${item} , {"objectId":2}]`);
    expect(first?.dataText).toBe(item);
    expect(first?.object?.id).toBe('12345678901234567890');
    expect(second?.dataText).toBe('{"objectId":2}');
  });

  it('takes the last of two members of one name, as JSON.parse does', () => {
    const body =
      '{"events":[{"event_type":"a.created"}],"ev\\u0065nts":[{"event_type":"record.created","id":{"record_id":"r\\"}]"}}]}';
    const items = itemsOf('attio', body);
    expect(items.map(({ object }) => object?.id)).toEqual(['r"}]']);
  });

  it('has no secret of ours in a notice that is made of headers', () => {
    const [item] = itemsOf('google-calendar', '', {
      'x-goog-channel-token': 'our-secret',
      'x-goog-resource-state': 'exists',
      'x-goog-resource-id': 'r',
      authorization: 'Bearer x',
    });
    expect(item?.dataText).toBe('{"x-goog-resource-state":"exists","x-goog-resource-id":"r"}');
  });

  it('of an unknown kind is other, under the words of the provider', () => {
    const [item] = itemsOf(
      'stripe',
      '{"id":"evt_1","type":"radar.early_fraud_warning.shouted","data":{"object":{"id":"r"}}}',
    );
    expect(item).toMatchObject({
      type: 'stripe.radar_early_fraud_warning.other',
      providerType: 'radar.early_fraud_warning.shouted',
      object: { type: 'radar_early_fraud_warning', id: 'r', change: 'other' },
    });
  });

  it.each([
    ['a type of 10,000 characters', `{"id":"e","type":"${'x'.repeat(10_000)}"}`],
    ['a type with U+0000', '{"id":"e","type":"a\\u0000b"}'],
    ['a type that is an object', '{"id":"e","type":{"a":1}}'],
    ['a moment that is none', '{"id":"e","type":"x.created","created":1e300}'],
    ['members of the prototype', '{"__proto__":{"type":"x"},"constructor":1,"id":"e"}'],
  ])('with %s is still an event', (_name, body) => {
    const [item] = itemsOf('stripe', body);
    expect(item?.type).toMatch(/^stripe\.[a-z0-9_]{1,60}\.(created|updated|deleted|other)$/);
    expect(item?.dataText).toBe(body);
  });
});

describe('a body that is no delivery', () => {
  it.each([
    ['not JSON', 'hello'],
    ['cut off', '[{"a":1},'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['empty', ''],
  ])('%s is refused with a reason', (_name, body) => {
    expect(split('hubspot', body)).toEqual({ ok: false, reason: expect.stringMatching(/^the body is not/) });
  });

  it.each(['[]', '{}', '{"events":[]}'])('%s has no events', (body) => {
    expect(split('attio', body)).toEqual({ ok: true, items: [] });
  });

  it('an unknown shape is one event of its provider, not none', () => {
    expect(itemsOf('attio', '{"other":1}')).toHaveLength(1);
  });

  it('with more events than any provider sends is refused', () => {
    expect(split('hubspot', `[${'{},'.repeat(10_000)}{}]`)).toEqual({
      ok: false,
      reason: 'the body has more than 10000 events',
    });
  });
});

/** A quiet core takes 10 to 100 ms of a thread; the quadratic and the deep ones took seconds before they were bounded. */
const CPU_MS_MAX = 600;

describe('5 MiB of', () => {
  it.each(HEAVY.map((each) => [each.name, each] as const))(
    '%s are split or refused quickly',
    (_name, each) => {
      const { id, body, headers } = each;
      expect(cpuMsOf(() => split(id, body, headers))).toBeLessThan(CPU_MS_MAX);
    },
  );
});

describe('the catalog', () => {
  it('takes an empty object and an odd list from every provider without a throw', () => {
    for (const description of DESCRIBED) {
      for (const body of ['{}', '[1,null,"a",[]]', 'null', '"text"', '{"events":{"a":1},"value":[null]}']) {
        expect(() => splitWebhook(description, requestOf({ body }))).not.toThrow();
      }
    }
  });
});
