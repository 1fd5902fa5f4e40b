import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { WebhookRequest } from '../../src/webhooks/message/webhook.ts';
import { extractEvents } from '../../src/webhooks/processing/extract-events.ts';
import { verifyWebhook } from '../../src/webhooks/signatures/verify.ts';
import { buildRequest, describeProvider, toolsAt } from './support/requests.ts';

const NOW_MS = Date.parse('2026-11-27T12:00:00Z');
const SECRET = 'a-secret-of-tests';
const URL_OF_ADDRESS = 'https://gateway.example/webhooks/one';

/** What each says happened: type, account, object. */
function eventsOf(id: string, request: WebhookRequest) {
  const made = extractEvents(describeProvider(id), request);
  if (!made.ok) throw new Error(made.reason);
  return made.items.map(({ type, accountId, object }) => [type, accountId, object?.id ?? null]);
}

/** Bodies after the providers' documentation; their HMACs were computed by OpenSSL, apart from this code. */
const HASHED = [
  {
    id: 'ramp',
    header: 'X-Ramp-Webhook-Signature',
    signature: '9723c515cc003d1dcea474862e0d4953bf04b3947b80c122f5f02cef06920abe',
    body: '{"id":"a461a658-8d78-4e66-b1fd-9c818bcfea6b","type":"transactions.cleared","created_at":"2025-04-01T12:00:00Z","business_id":"945c7d8f-6c35-4d63-9c1c-79e67c9cee73","object":{"id":"3aa9eed1-c793-4b52-a502-e7f2a7e4c1b2"}}',
    event: [
      'ramp.transaction.updated',
      '945c7d8f-6c35-4d63-9c1c-79e67c9cee73',
      '3aa9eed1-c793-4b52-a502-e7f2a7e4c1b2',
    ],
  },
  {
    id: 'checkr-partner',
    header: 'X-Checkr-Signature',
    signature: 'd98b42a03eb2f63da81384715c7486f5f60a69b96934ab8531d89de4febb2f59',
    body: '{"id":"e1","object":"event","type":"token.deauthorized","created_at":"2022-06-10T01:07:48Z","account_id":"ac-1","data":{"object":{"id":"t1"}}}',
    event: ['checkr-partner.token.deleted', 'ac-1', 't1'],
  },
  {
    id: 'threads',
    header: 'X-Hub-Signature-256',
    signature: 'sha256=66a0703313ec227c954d4be8658e2b096ff5ea4e4882fe4d40a69b40352343b3',
    body: '{"app_id":"123456","topic":"moderate","target_id":"78901","time":1723226877,"subscription_id":"234567","has_uid_field":false,"values":{"value":{"id":"8901234","username":"test_username","text":"Reply","root_post":{"id":"123456","owner_id":"111","username":"test_username_2"}},"field":"replies"}}',
    event: ['threads.reply.created', '111', '8901234'],
  },
];

describe.each(HASHED)('a webhook of $id', ({ id, header, signature, body, event }) => {
  const request = buildRequest({ headers: { [header]: signature }, body });

  it('is proven by a signature that OpenSSL made', async () => {
    expect(await verifyWebhook(describeProvider(id), request, [SECRET], toolsAt(NOW_MS))).toMatchObject({
      ok: true,
    });
  });

  it('is refused with another secret', async () => {
    expect(await verifyWebhook(describeProvider(id), request, ['other'], toolsAt(NOW_MS))).toEqual({
      ok: false,
      reason: 'mismatch',
    });
  });

  it('says what happened, and to whom', () => {
    expect(eventsOf(id, request)).toEqual([event]);
  });
});

describe('the account of a notice of Threads', () => {
  const accountOf = (field: string, targetId: string, value: object) => {
    const body = JSON.stringify({ target_id: targetId, time: 1, values: { field, value } });
    return eventsOf('threads', buildRequest({ body }))[0]?.[1];
  };

  it.each([
    [
      'a reply: the owner of the thread',
      'replies',
      'post-1',
      { root_post: { owner_id: 'owner-1' } },
      'owner-1',
    ],
    [
      'a mention: the user, though it stands in the thread of another',
      'mentions',
      'user-1',
      { root_post: { owner_id: 'owner-1' } },
      'user-1',
    ],
    ['a deleted post: its owner', 'delete', 'post-1', { owner: { owner_id: 'owner-2' } }, 'owner-2'],
  ])('is, of %s', (_what, field, targetId, value, expected) => {
    expect(accountOf(field, targetId, { id: 'p', ...value })).toBe(expected);
  });
});

describe('a header that the provider was told to send', () => {
  it.each([
    [
      'streak',
      'X-Streak-Webhook-Token',
      'event=BOX_EDIT',
      [{ boxKey: 'b1', lastUpdatedTimestamp: 1_700_000_000_000 }],
      'streak.box.updated',
      null,
      'b1',
    ],
    [
      'videoask',
      'Webhook-Secret',
      '',
      { event_id: 'e1', event_type: 'form_response', contact: { contact_id: 'c1' } },
      'videoask.response.created',
      null,
      'c1',
    ],
    [
      'amazon-selling-partner',
      'X-Api-Key',
      '',
      {
        id: 'i1',
        'detail-type': 'LISTINGS_ITEM_STATUS_CHANGE',
        time: '2021-02-03T18:59:30Z',
        detail: { Payload: { SellerId: 'A3AYAZLIQ7AX77', Sku: 'NLS-SHOES-03', Asin: 'BT6RZ7JM4H' } },
      },
      'amazon-selling-partner.listing.updated',
      'A3AYAZLIQ7AX77',
      'NLS-SHOES-03',
    ],
  ])('proves a webhook of %s', async (id, header, query, body, type, account, objectId) => {
    const description = describeProvider(id);
    const sent = (secret: string) =>
      buildRequest({ query, headers: { [header]: secret }, body: JSON.stringify(body) });
    const judge = (secret: string) => verifyWebhook(description, sent(secret), [SECRET], toolsAt(NOW_MS));
    expect([(await judge(SECRET)).ok, (await judge('guess')).ok]).toEqual([true, false]);
    expect(eventsOf(id, sent(SECRET))).toEqual([[type, account, objectId]]);
  });
});

describe('a notice of Google through Pub/Sub', () => {
  const EMAIL = 'push@project-1.iam.gserviceaccount.com';
  const KEY_ID = '7d680d8c70d44e947133cbd499ebc1a61c3d5abc';
  const data = Buffer.from('{"emailAddress": "user@example.com", "historyId": "9876543210"}').toString(
    'base64',
  );
  const gmailBody = JSON.stringify({
    message: { data, messageId: '2070443601311540', publishTime: '2026-11-27T11:59:58.114Z' },
    subscription: 'projects/myproject/subscriptions/mysubscription',
  });

  async function judge(claims: object, secrets: readonly string[], id = 'gmail') {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    const token = await new SignJWT({ email: EMAIL, email_verified: true, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' })
      .setIssuer('https://accounts.google.com')
      .setAudience(URL_OF_ADDRESS)
      .setIssuedAt(NOW_MS / 1000)
      .setExpirationTime(NOW_MS / 1000 + 3600)
      .sign(privateKey);
    const request = buildRequest({ headers: { Authorization: `Bearer ${token}` }, body: gmailBody });
    const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: KEY_ID }] });
    const tools = { now: () => NOW_MS, fetchKey: async () => keys };
    return verifyWebhook(describeProvider(id), request, secrets, tools);
  }

  it.each(['gmail', 'google-forms'])(
    'is taken for %s from the service account that was entered',
    async (id) => {
      expect(await judge({}, ['older@project-1.iam.gserviceaccount.com', EMAIL], id)).toMatchObject({
        ok: true,
        secretIndex: 1,
      });
    },
  );

  it('is refused from any other project of Google’s customers', async () => {
    const refused = { ok: false, reason: 'mismatch' };
    expect(await judge({ email: 'push@evil.iam.gserviceaccount.com' }, [EMAIL])).toEqual(refused);
    expect(await judge({ email_verified: false }, [EMAIL])).toEqual(refused);
    expect(await judge({ email: '' }, [''])).toEqual(refused);
    expect(await judge({}, [])).toEqual({ ok: false, reason: 'no_secret' });
  });

  it('says whose mailbox changed, which stands in Base64, and passes that on', () => {
    const request = buildRequest({ body: gmailBody });
    expect(eventsOf('gmail', request)).toEqual([
      ['gmail.mailbox.updated', 'user@example.com', 'user@example.com'],
    ]);
    const made = extractEvents(describeProvider('gmail'), request);
    expect(made.ok && made.items[0]?.dataText).toContain('"data":{"emailAddress": "user@example.com"');
  });

  it.each(['not Base64 of JSON', Buffer.from('[1]').toString('base64'), ''])(
    'says nothing of a mailbox where its data are %j',
    (held) => {
      const body = JSON.stringify({ message: { data: held, messageId: '1' } });
      expect(eventsOf('gmail', buildRequest({ body }))[0]?.[1]).toBeNull();
    },
  );

  it('names the form', () => {
    const attributes = { eventType: 'RESPONSES', formId: 'form-1', watchId: 'watch-1' };
    const body = JSON.stringify({
      message: { attributes, messageId: '1', publishTime: '2026-11-27T11:59:58Z' },
    });
    expect(eventsOf('google-forms', buildRequest({ body }))).toEqual([
      ['google-forms.response.updated', null, 'form-1'],
    ]);
  });
});

describe('a webhook of Plaid', () => {
  const KEY_ID = 'bfbd5111-8e33-4643-8ced-b2e642a72f3c';
  const body =
    '{\n  "webhook_type": "TRANSACTIONS",\n  "webhook_code": "SYNC_UPDATES_AVAILABLE",\n  "item_id": "i1"\n}';

  async function judge(more: { body?: string; issuedAtMs?: number; key?: object } = {}) {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const hash = createHash('sha256').update(body).digest('hex');
    const token = await new SignJWT({ request_body_sha256: hash })
      .setProtectedHeader({ alg: 'ES256', kid: KEY_ID, typ: 'JWT' })
      .setIssuedAt((more.issuedAtMs ?? NOW_MS) / 1000)
      .sign(privateKey);
    const jwk = {
      ...(await exportJWK(publicKey)),
      alg: 'ES256',
      use: 'sig',
      created_at: 1,
      expired_at: null,
    };
    const asked: unknown[] = [];
    const fetchKey = async (...request: unknown[]) => {
      asked.push(request);
      return JSON.stringify({ key: { ...jwk, kid: KEY_ID, ...more.key }, request_id: 'r1' });
    };
    const request = buildRequest({ headers: { 'Plaid-Verification': token }, body: more.body ?? body });
    const outcome = await verifyWebhook(describeProvider('plaid'), request, [], {
      now: () => NOW_MS,
      fetchKey,
    });
    return { outcome, asked };
  }

  it('is proven by the key that the connection is given for its id', async () => {
    expect(await judge()).toMatchObject({
      outcome: { ok: true },
      asked: [
        ['/webhook_verification_key/get', { authorization: 'connection', body: `{"key_id":"${KEY_ID}"}` }],
      ],
    });
  });

  it.each<[string, Parameters<typeof judge>[0]]>([
    ['another body', { body: `${body} ` }],
    ['a signature of more than five minutes ago', { issuedAtMs: NOW_MS - 400_000 }],
    ['a key that has expired', { key: { expired_at: 1_700_000_000 } }],
  ])('is refused with %s', async (_what, more) => {
    expect((await judge(more)).outcome.ok).toBe(false);
  });

  it('says what happened to which item', () => {
    expect(eventsOf('plaid', buildRequest({ body }))).toEqual([['plaid.transaction.updated', null, 'i1']]);
  });
});
