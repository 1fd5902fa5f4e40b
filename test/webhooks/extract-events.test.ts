import type { WebhookItem } from '../../src/webhooks/message/webhook.ts';
import { extractEvents } from '../../src/webhooks/processing/extract-events.ts';
import { leastCpuMs } from '../support/quiet-time.ts';
import { EXAMPLES } from './examples.ts';
import { HEAVY } from './support/heavy-bodies.ts';
import { buildRequest, DESCRIBED, describeProvider } from './support/requests.ts';

function extract(id: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
  return extractEvents(describeProvider(id), buildRequest({ headers, body }));
}

function extractItems(
  id: string,
  body: string,
  headers?: Readonly<Record<string, string>>,
): readonly WebhookItem[] {
  const outcome = extract(id, body, headers);
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.items;
}

describe('a webhook of', () => {
  it.each(EXAMPLES.map((each) => [each.id, each] as const))('%s becomes its events', (id, example) => {
    const body = typeof example.body === 'string' ? example.body : JSON.stringify(example.body);
    const items = extractItems(id, body, example.headers);
    expect(items.map(({ type, accountId, object }) => [type, accountId, object?.id ?? null])).toEqual(
      example.events.map(([type, ...rest]) => [`${id}.${type}`, ...rest]),
    );
    for (const item of items) expect(() => JSON.parse(item.dataText)).not.toThrow();
  });
});

describe('an event', () => {
  const retry = (attemptNumber: number) =>
    `[{"eventId":1,"subscriptionId":2,"portalId":3,"occurredAt":1564113600000,"subscriptionType":"contact.creation","attemptNumber":${attemptNumber},"objectId":4}]`;

  it('has the same key in every attempt, and says when it happened', () => {
    const [[first], [again]] = [extractItems('hubspot', retry(0)), extractItems('hubspot', retry(3))];
    expect(again?.dedupeKey).toBe(first?.dedupeKey);
    expect(first?.occurredAt).toEqual(new Date(1564113600000));
    expect(first?.dataText).toContain('"attemptNumber":0');
  });

  it('keeps all digits of an account’s id that stands around it', () => {
    const body = (account: string) =>
      `{"object":"page","entry":[{"id":${account},"time":1,"changes":[{"field":"feed","value":{"post_id":"p"}}]}]}`;
    expect(extractItems('facebook', body('12345678901234567001'))[0]?.accountId).toBe('12345678901234567001');
  });

  it('has another key for another account', () => {
    const body = (account: string) => `{"id":"evt_1","type":"a.created","account":"${account}"}`;
    const [[one], [two]] = [extractItems('stripe', body('acct_1')), extractItems('stripe', body('acct_2'))];
    expect(one?.dedupeKey).not.toBe(two?.dedupeKey);
  });

  const keysOf = (id: string, bodies: readonly string[]) =>
    bodies.flatMap((body) => extractItems(id, body).map(({ dedupeKey }) => dedupeKey));

  it('is known by its bytes where these name an object and a time', () => {
    const body = (id: string, time: number) =>
      `{"object_type":"activity","aspect_type":"update","object_id":${id},"owner_id":1,"event_time":${time}}`;
    const [first, again, later, other] = keysOf('strava', [
      body('7', 1),
      body('7', 1),
      body('7', 2),
      body('8', 1),
    ]);
    expect(first).toMatch(/^sha256:/);
    expect(again).toBe(first);
    expect(new Set([first, later, other]).size).toBe(3);
  });

  it.each([
    ['dropbox', '{"list_folder":{"accounts":["dbid:1"]}}'],
    ['fitbit', '[{"collectionType":"foods","date":"2026-11-23","ownerId":"A","ownerType":"user"}]'],
    ['onedrive', '{"value":[{"subscriptionId":"s","resource":"me/drive/root","changeType":"updated"}]}'],
    ['sharepoint', '{"value":[{"subscriptionId":"s","resource":"sites/1","changeType":"updated"}]}'],
    ['acuity-scheduling', 'action=appointment.changed&id=1'],
    ['freshbooks', 'name=invoice.update&object_id=1&account_id=a'],
    ['mollie', '{"type":"payment","id":"tr_1"}'],
    ['facebook', '{"object":"page","entry":[{"id":"1","time":1,"changes":[{"field":"feed"}]}]}'],
    ['webex', '{"id":"w","resource":"messages","event":"updated","data":{"id":"m","created":"2026-11-23"}}'],
  ])('of %s has no key where the same bytes may report a second change', (id, body) => {
    expect(keysOf(id, [body])).toEqual([null]);
  });

  const dropboxSign = (request: string, signature: string | null) =>
    `--x\r\nContent-Disposition: form-data; name="json"\r\n\r\n${JSON.stringify({
      event: {
        event_type: 'e',
        event_time: '1',
        event_hash: 'h',
        event_metadata: { related_signature_id: signature },
      },
      signature_request: { signature_request_id: request },
    })}\r\n--x--\r\n`;
  const webex = (event: string, data: object) =>
    JSON.stringify({ id: 'w', resource: 'rooms', event, data: { id: 'r', created: '1', ...data } });
  const recurly = (type: string, time: string) =>
    JSON.stringify({ id: 's', uuid: 'u', object_type: 'subscription', event_type: type, event_time: time });
  const bigcommerce = (time: number) =>
    JSON.stringify({
      scope: 'store/product/updated',
      hash: 'h',
      created_at: time,
      data: { type: 'product', id: 1 },
    });

  it.each([
    [
      'dropbox-sign',
      [dropboxSign('a', null), dropboxSign('b', null), dropboxSign('a', 's1'), dropboxSign('a', 's2')],
    ],
    [
      'webex',
      [
        webex('updated', { lastActivity: '1' }),
        webex('updated', { lastActivity: '2' }),
        webex('deleted', { lastActivity: '2' }),
      ],
    ],
    ['recurly', [recurly('renew', '1'), recurly('renew', '2'), recurly('expire', '2')]],
    ['bigcommerce', [bigcommerce(1), bigcommerce(2)]],
  ])('of %s has a key of its own for each change, and the same in each attempt', (id, bodies) => {
    const headers = id === 'dropbox-sign' ? { 'content-type': 'multipart/form-data; boundary=x' } : {};
    const read = () =>
      bodies.flatMap((body) => extractItems(id, body, headers).map(({ dedupeKey }) => dedupeKey));
    expect(read()).not.toContain(null);
    expect(new Set(read()).size).toBe(bodies.length);
    expect(read()).toEqual(read());
  });

  it('keeps the bytes of the provider: numbers, order and blanks', () => {
    const item =
      '{"subscriptionType": "deal.propertyChange", "objectId":12345678901234567890, "propertyValue":1.10, "z":1e5,"a":-0}';
    const [first, second] = extractItems('hubspot', ` [ ${item} , {"objectId":2}]`);
    expect(first?.dataText).toBe(item);
    expect(first?.object?.id).toBe('12345678901234567890');
    expect(second?.dataText).toBe('{"objectId":2}');
  });

  it('takes the last of two members of one name, as JSON.parse does', () => {
    const body =
      '{"events":[{"event_type":"a.created"}],"ev\\u0065nts":[{"event_type":"record.created","id":{"record_id":"r\\"}]"}}]}';
    const items = extractItems('attio', body);
    expect(items.map(({ object }) => object?.id)).toEqual(['r"}]']);
  });

  it('has no secret of ours in a notice that is made of headers', () => {
    const [item] = extractItems('google-calendar', '', {
      'x-goog-channel-token': 'our-secret',
      'x-goog-resource-state': 'exists',
      'x-goog-resource-id': 'r',
      authorization: 'Bearer x',
    });
    expect(item?.dataText).toBe('{"x-goog-resource-state":"exists","x-goog-resource-id":"r"}');
  });

  it('of an unknown kind is other, under the words of the provider', () => {
    const [item] = extractItems(
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
    const [item] = extractItems('stripe', body);
    expect(item?.type).toMatch(/^stripe\.[a-z0-9_]{1,60}\.(created|updated|deleted|other)$/);
    expect(item?.dataText).toBe(body);
  });
});

describe('a body that is no webhook', () => {
  it.each([
    ['not JSON', 'hello'],
    ['cut off', '[{"a":1},'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['empty', ''],
  ])('%s is refused with a reason', (_name, body) => {
    expect(extract('hubspot', body)).toEqual({
      ok: false,
      reason: expect.stringMatching(/^the body is not/),
    });
  });

  it.each(['[]', '{}', '{"events":[]}'])('%s has no events', (body) => {
    expect(extract('attio', body)).toEqual({ ok: true, items: [] });
  });

  it('an unknown shape is one event of its provider, not none', () => {
    expect(extractItems('attio', '{"other":1}')).toHaveLength(1);
  });

  it.each([
    ['JSON', 'hubspot', `[${'{},'.repeat(10_000)}{}]`],
    ['XML', 'salesforce', `<a>${'<Notification>1</Notification>'.repeat(10_001)}</a>`],
  ])('with more events in %s than any provider sends is refused', (_format, id, body) => {
    expect(extract(id, body)).toEqual({
      ok: false,
      reason: 'the body has more than 10000 events',
    });
  });
});

/** A quiet core takes 10 to 100 ms of a thread; the quadratic and the deep ones took seconds before they were bounded. */
const CPU_MS_MAX = 600;

describe('5 MiB of', () => {
  it.each(HEAVY.map((each) => [each.name, each] as const))(
    '%s are read or refused quickly',
    (_name, each) => {
      const { id, body, headers } = each;
      expect(leastCpuMs(CPU_MS_MAX, () => extract(id, body, headers))).toBeLessThanOrEqual(CPU_MS_MAX);
    },
  );
});

describe('the catalog', () => {
  it('takes an empty object and an odd list from every provider without a throw', () => {
    for (const description of DESCRIBED) {
      for (const body of ['{}', '[1,null,"a",[]]', 'null', '"text"', '{"events":{"a":1},"value":[null]}']) {
        expect(() => extractEvents(description, buildRequest({ body }))).not.toThrow();
      }
    }
  });
});
