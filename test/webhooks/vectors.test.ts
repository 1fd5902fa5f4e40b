import { createHash, createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { WebhookSignature } from '../../src/catalog/schema/webhook-signature.schema.ts';
import { chooseScheme } from '../../src/webhooks/message/description.ts';
import type { WebhookDescription, WebhookRequest } from '../../src/webhooks/message/webhook.ts';
import { readKeyResponse } from '../../src/webhooks/signatures/public-keys.ts';
import { verifyWebhook } from '../../src/webhooks/signatures/verify.ts';
import {
  CERTIFICATE_BY_SUBJECT,
  CERTIFICATE_OF_ANOTHER,
  CERTIFICATE_OF_BOTH,
  CERTIFIED_KEY,
} from './support/key-certificates.ts';
import { buildRequest, describeProvider, toolsAt } from './support/requests.ts';

const HUBSPOT_SECRET = 'yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy';
const HUBSPOT_URL = 'https://www.example.com/webhook_uri';
const HUBSPOT_TIME_MS = 1_700_000_000_000;
const HUBSPOT_BODY = '{"example_field":"example_value"}';

function judge(description: WebhookDescription, request: WebhookRequest, secret: string, nowMs: number) {
  return verifyWebhook(description, request, [secret], toolsAt(nowMs));
}

function alternative(id: string, name: string): WebhookDescription {
  const chosen = chooseScheme(describeProvider(id), name);
  if (chosen === undefined) throw new Error(`${id} has no scheme ${name}`);
  return chosen;
}

/** Published example values: who published them, and the request that they are of. */
const VECTORS: readonly {
  readonly name: string;
  readonly description: WebhookDescription;
  readonly secret: string;
  readonly nowMs?: number;
  readonly request: Parameters<typeof buildRequest>[0];
}[] = [
  {
    name: 'HubSpot v1 (its guide to request signatures)',
    description: alternative('hubspot', 'v1'),
    secret: HUBSPOT_SECRET,
    request: {
      url: HUBSPOT_URL,
      headers: { 'X-HubSpot-Signature': '232db2615f3d666fe21a8ec971ac7b5402d33b9a925784df3ca654d05f4817de' },
      body: '[{"eventId":1,"subscriptionId":12345,"portalId":62515,"occurredAt":1564113600000,"subscriptionType":"contact.creation","attemptNumber":0,"objectId":123,"changeSource":"CRM","changeFlag":"NEW","appId":54321}]',
    },
  },
  {
    name: 'HubSpot v2 of a GET (its guide to request signatures)',
    description: alternative('hubspot', 'v2'),
    secret: HUBSPOT_SECRET,
    request: {
      method: 'GET',
      url: HUBSPOT_URL,
      headers: { 'X-HubSpot-Signature': 'eee2dddcc73c94d699f5e395f4b9d454a069a6855fbfa152e91e88823087200e' },
    },
  },
  {
    name: 'HubSpot v2 of a POST (its guide to request signatures)',
    description: alternative('hubspot', 'v2'),
    secret: HUBSPOT_SECRET,
    request: {
      url: HUBSPOT_URL,
      headers: { 'X-HubSpot-Signature': '9569219f8ba981ffa6f6f16aa0f48637d35d728c7e4d93d0d52efaa512af7900' },
      body: HUBSPOT_BODY,
    },
  },
  {
    name: 'HubSpot v3, computed apart from this code',
    description: describeProvider('hubspot'),
    secret: HUBSPOT_SECRET,
    nowMs: HUBSPOT_TIME_MS,
    request: {
      url: HUBSPOT_URL,
      headers: {
        'X-HubSpot-Signature-v3': 'rQEKkaNUiu+1qGF//O/pw4BCzstSqO1PyUnGICmf+7o=',
        'X-HubSpot-Request-Timestamp': String(HUBSPOT_TIME_MS),
      },
      body: HUBSPOT_BODY,
    },
  },
  {
    name: 'GitHub (validating webhook deliveries)',
    description: describeProvider('github'),
    secret: "It's a Secret to Everybody",
    request: {
      headers: {
        'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      },
      body: 'Hello, World!',
    },
  },
  {
    name: 'Slack (verifying requests)',
    description: describeProvider('slack'),
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    nowMs: 1_531_420_618_000,
    request: {
      headers: {
        'X-Slack-Request-Timestamp': '1531420618',
        'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    },
  },
  {
    name: 'Twilio (security of webhooks)',
    description: describeProvider('twilio'),
    secret: '12345',
    request: {
      url: 'https://mycompany.com/myapp.php',
      query: 'foo=1&bar=2',
      headers: {
        'X-Twilio-Signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: 'CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212',
    },
  },
  {
    name: 'Standard Webhooks and Svix (verifying by hand)',
    description: describeProvider('openai'),
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    nowMs: 1_614_265_330_000,
    request: {
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
      body: '{"test": 2432232314}',
    },
  },
  {
    name: 'Svix under its own header names',
    description: describeProvider('resend'),
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    nowMs: 1_614_265_330_000,
    request: {
      headers: {
        'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'svix-timestamp': '1614265330',
        'svix-signature': 'v2,xx v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
      body: '{"test": 2432232314}',
    },
  },
  {
    name: 'Adyen (the HMAC example of its Node library)',
    description: describeProvider('adyen'),
    secret: 'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00',
    request: {
      body: JSON.stringify({
        live: 'false',
        notificationItems: [
          {
            NotificationRequestItem: {
              pspReference: 'pspReference',
              originalReference: 'originalReference',
              merchantAccountCode: 'merchantAccount',
              merchantReference: 'reference',
              amount: { currency: 'EUR', value: 1000 },
              eventCode: 'EVENT',
              success: 'true',
              additionalData: { hmacSignature: 'ipnxGCaUZ4l8TUW75a71/ghd2Fe5ffvX0pV4TLTntIc=' },
            },
          },
        ],
      }),
    },
  },
];

describe('published vectors', () => {
  it.each(VECTORS.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    const { description, secret, nowMs = 0 } = vector;
    expect(await judge(description, buildRequest(vector.request), secret, nowMs)).toMatchObject({ ok: true });
  });
});

describe('Stripe', () => {
  const stripe = describeProvider('stripe');
  const nowMs = 1_700_000_000_000;
  const seconds = String(nowMs / 1000);
  const body = '{"id":"evt_1"}';
  const v1 = createHmac('sha256', 'whsec_test').update(`${seconds}.${body}`).digest('hex');
  const sentWith = (header: string) => buildRequest({ headers: { 'stripe-signature': header }, body });

  it.each([
    ['one signature', `t=${seconds},v1=${v1}`],
    ['several while a secret is rolled', `t=${seconds},v1=${'0'.repeat(64)},v1=${v1},v0=${'1'.repeat(64)}`],
  ])('takes %s', async (_name, header) => {
    expect(await judge(stripe, sentWith(header), 'whsec_test', nowMs)).toMatchObject({
      ok: true,
      signedAt: new Date(nowMs),
    });
  });

  it.each([
    ['only a test-mode v0', `t=${seconds},v0=${v1}`, 'malformed'],
    ['no time', `v1=${v1}`, 'malformed'],
    ['two times', `t=${seconds},t=1,v1=${v1}`, 'malformed'],
    ['a time in words', `t=now,v1=${v1}`, 'malformed'],
    ['a hundred signatures', `t=${seconds},${`v1=${v1},`.repeat(100)}`, 'malformed'],
    ['an old time', `t=${Number(seconds) - 301},v1=${v1}`, 'expired'],
  ])('refuses %s', async (_name, header, reason) => {
    expect(await judge(stripe, sentWith(header), 'whsec_test', nowMs)).toEqual({ ok: false, reason });
  });
});

describe('HubSpot’s address', () => {
  const hubspot = describeProvider('hubspot');
  const query = 'redirect=https%3A%2F%2Fa.example%2Fb&name=J%C3%B6rg%21';
  const decoded = 'redirect=https://a.example/b&name=J%C3%B6rg!';

  it.each([
    ['as it stands', query],
    ['with the characters decoded that HubSpot decodes', decoded],
  ])('counts %s', async (_name, signedQuery) => {
    const text = `POST${HUBSPOT_URL}?${signedQuery}${HUBSPOT_BODY}${HUBSPOT_TIME_MS}`;
    const request = buildRequest({
      url: HUBSPOT_URL,
      query,
      headers: {
        'X-HubSpot-Signature-v3': createHmac('sha256', 'secret').update(text).digest('base64'),
        'X-HubSpot-Request-Timestamp': String(HUBSPOT_TIME_MS),
      },
      body: HUBSPOT_BODY,
    });
    expect(await judge(hubspot, request, 'secret', HUBSPOT_TIME_MS)).toMatchObject({ ok: true });
  });
});

describe('PayPal', () => {
  const paypal = describeProvider('paypal');
  const privateKey = createPrivateKey(CERTIFIED_KEY);
  const bare = createPublicKey(CERTIFIED_KEY).export({ type: 'spki', format: 'pem' }).toString();
  const time = '2026-11-22T10:00:00Z';
  const body = '{"id":"WH-1","event_type":"PAYMENT.CAPTURE.COMPLETED"}';
  // The CRC-32 of the body, computed apart from zlib.
  const signed = sign('sha256', Buffer.from(`tx-1|${time}|WEBHOOK-ID|${crc32(body)}`), privateKey);
  const sentWith = (certificate: string) =>
    buildRequest({
      headers: {
        'PAYPAL-TRANSMISSION-ID': 'tx-1',
        'PAYPAL-TRANSMISSION-TIME': time,
        'PAYPAL-TRANSMISSION-SIG': signed.toString('base64'),
        'PAYPAL-CERT-URL': certificate,
      },
      body,
    });

  async function judgeWith(certificate: string, answer = CERTIFICATE_OF_BOTH) {
    const fetched: string[] = [];
    const outcome = await verifyWebhook(paypal, sentWith(certificate), ['WEBHOOK-ID'], {
      now: () => Date.parse(time),
      fetchKey: async (url) => {
        fetched.push(url);
        return answer;
      },
    });
    return { outcome, fetched };
  }

  const url = 'https://api.paypal.com/v1/notifications/certs/CERT-1';

  it.each([
    ['as an alternative name', CERTIFICATE_OF_BOTH],
    ['in its subject', CERTIFICATE_BY_SUBJECT],
    ['and others behind it', CERTIFICATE_BY_SUBJECT + CERTIFICATE_OF_ANOTHER],
  ])('is proven with a certificate at its own address that bears its name %s', async (_where, answer) => {
    expect(await judgeWith(url, answer)).toMatchObject({ outcome: { ok: true }, fetched: [url] });
  });

  it.each([
    ['a bare key', bare],
    ['a certificate of another name', CERTIFICATE_OF_ANOTHER],
    ['one of another name before its own', CERTIFICATE_OF_ANOTHER + CERTIFICATE_BY_SUBJECT],
    ['no certificate', 'not found'],
  ])('is not proven with %s, though the key is the one that signed', async (_what, answer) => {
    expect(await judgeWith(url, answer)).toMatchObject({ outcome: { ok: false, reason: 'mismatch' } });
  });

  it.each([
    ['before', '2025-12-31T23:59:59Z', undefined],
    ['on', '2026-01-01T00:00:00Z', 'rsa'],
    ['after', '2126-01-01T00:00:01Z', undefined],
  ])('has no key %s the days of the certificate', (_when, at, type) => {
    const key = readKeyResponse(CERTIFICATE_OF_BOTH, {
      keyId: undefined,
      certificateName: 'messageverificationcerts.paypal.com',
      nowMs: Date.parse(at),
    });
    expect(key?.asymmetricKeyType).toBe(type);
  });

  it.each([
    'https://api.paypal.com.attacker.example/cert',
    'https://attacker.example/api.paypal.com',
    'http://api.paypal.com/cert',
    'https://api.paypal.com:8443/cert',
    'https://user@api.paypal.com/cert',
    'file:///etc/passwd',
    'not an address',
  ])('never has a certificate fetched from %s', async (url) => {
    expect(await judgeWith(url)).toEqual({ outcome: { ok: false, reason: 'malformed' }, fetched: [] });
  });
});

function crc32(text: string): number {
  let sum = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}

describe('Twilio’s JSON', () => {
  const twilio = describeProvider('twilio');
  const url = 'https://gateway.example/webhooks/one';
  const sentWith = (query: string, body: string) => {
    const signed = createHmac('sha1', 'token')
      .update(query === '' ? url : `${url}?${query}`)
      .digest('base64');
    const headers = { 'X-Twilio-Signature': signed, 'Content-Type': 'application/json' };
    return buildRequest({ url, query, headers, body });
  };
  const hash = createHash('sha256').update('{"a":1}').digest('hex');

  it('is proven by the hash in the signed address', async () => {
    expect(await judge(twilio, sentWith(`bodySHA256=${hash}`, '{"a":1}'), 'token', 0)).toMatchObject({
      ok: true,
    });
  });

  it.each([
    ['of another body', `bodySHA256=${hash}`, '{"a":2}'],
    ['without a hash', '', '{"a":1}'],
  ])('is refused %s', async (_name, query, body) => {
    expect(await judge(twilio, sentWith(query, body), 'token', 0)).toMatchObject({ ok: false });
  });
});

describe('schemes that no provider of the catalog has', () => {
  const base = describeProvider('github');
  const withSignature = (signature: WebhookSignature): WebhookDescription => ({ ...base, signature });

  it('Mandrill: address and sorted parameters of the form', async () => {
    const description = withSignature({
      scheme: 'hmac',
      hash: 'sha1',
      at: 'header:X-Mandrill-Signature',
      signed: ['{url}', '{form}'],
      encoding: 'base64',
      keyEncoding: 'text',
    });
    const signed = 'https://gateway.example/webhooks/onea1b2mandrill_events[]';
    const request = buildRequest({
      headers: {
        'X-Mandrill-Signature': createHmac('sha1', 'key').update(signed).digest('base64'),
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: 'mandrill_events=%5B%5D&b=2&a=1',
    });
    expect(await judge(description, request, 'key', 0)).toMatchObject({ ok: true });
  });

  it('Mercado Pago: id, request id and time in words of their own', async () => {
    const description = withSignature({
      scheme: 'hmac',
      hash: 'sha256',
      at: 'header:x-signature',
      prefix: 'v1=',
      listSeparator: ',',
      signed: ['id:', '{query:data.id}', ';request-id:', '{header:x-request-id}', ';ts:', '{timestamp}', ';'],
      encoding: 'hex',
      timestamp: { at: 'list:ts=', unit: 'seconds', toleranceSeconds: 300 },
      keyEncoding: 'text',
    });
    const v1 = createHmac('sha256', 'key').update('id:123;request-id:r-1;ts:1700000000;').digest('hex');
    const request = buildRequest({
      query: 'data.id=123&type=payment',
      headers: { 'x-signature': `ts=1700000000,v1=${v1}`, 'x-request-id': 'r-1' },
    });
    expect(await judge(description, request, 'key', 1_700_000_000_000)).toMatchObject({ ok: true });
  });

  it('Teamtailor: Base64 of the hexadecimal digest; SHA-512 and upper case besides', async () => {
    for (const [hash, encoding] of [
      ['sha256', 'base64-of-hex'],
      ['sha512', 'upper-hex'],
    ] as const) {
      const signature: WebhookSignature = {
        scheme: 'hmac',
        hash,
        at: 'header:x-signature',
        signed: ['{json:resource_id}'],
        encoding,
        keyEncoding: 'text',
      };
      const hex = createHmac(hash, 'key').update('77').digest('hex');
      const written = encoding === 'upper-hex' ? hex.toUpperCase() : Buffer.from(hex).toString('base64');
      const request = buildRequest({ headers: { 'x-signature': written }, body: '{"resource_id":77}' });
      expect(await judge(withSignature(signature), request, 'key', 0)).toMatchObject({ ok: true });
    }
  });

  it('Feishu: a plain digest of time, nonce, key and body', async () => {
    const description = withSignature({
      scheme: 'digest',
      hash: 'sha256',
      at: 'header:X-Lark-Signature',
      signed: ['{timestamp}', '{header:X-Lark-Request-Nonce}', '{secret}', '{body}'],
      encoding: 'hex',
      timestamp: { at: 'header:X-Lark-Request-Timestamp', unit: 'seconds', toleranceSeconds: 300 },
    });
    const request = buildRequest({
      headers: {
        'X-Lark-Request-Timestamp': '1700000000',
        'X-Lark-Request-Nonce': 'n1',
        'X-Lark-Signature': createHash('sha256').update('1700000000n1key{}').digest('hex'),
      },
      body: '{}',
    });
    expect(await judge(description, request, 'key', 1_700_000_000_000)).toMatchObject({ ok: true });
  });
});
