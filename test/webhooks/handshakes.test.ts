import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { respondToHandshake } from '../../src/webhooks/receiving/handshake.ts';
import { verifyWebhook } from '../../src/webhooks/signatures/verify.ts';
import { buildRequest, DESCRIBED, describeProvider, toolsAt } from './support/requests.ts';

const NOW_MS = Date.parse('2026-11-22T10:00:00Z');
const URL_ONE = 'https://gateway.example/webhooks/one';

type Given = Parameters<typeof buildRequest>[0];

function answer(
  id: string,
  given: Given,
  secrets: readonly string[] = [],
  verifyTokens: readonly string[] = [],
) {
  return respondToHandshake(describeProvider(id), buildRequest(given), secrets, {
    now: () => NOW_MS,
    verifyTokens,
  });
}

function hmac(secret: string, text: string, encoding: 'hex' | 'base64' = 'hex', hash = 'sha256') {
  return createHmac(hash, secret).update(text).digest(encoding);
}

const ed25519 = generateKeyPairSync('ed25519');
const DISCORD_KEY = ed25519.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');

function discord(body: string) {
  const time = String(NOW_MS / 1000);
  const signed = sign(null, Buffer.from(time + body), ed25519.privateKey).toString('hex');
  return { headers: { 'X-Signature-Ed25519': signed, 'X-Signature-Timestamp': time }, body };
}

function twitch(body: string) {
  const time = '2026-11-22T10:00:00.123456789Z';
  return {
    headers: {
      'Twitch-Eventsub-Message-Type': 'webhook_callback_verification',
      'Twitch-Eventsub-Message-Id': 'm-1',
      'Twitch-Eventsub-Message-Timestamp': time,
      'Twitch-Eventsub-Message-Signature': `sha256=${hmac('secret', `m-1${time}${body}`)}`,
    },
    body,
  };
}

function zoom(body: string) {
  const time = String(NOW_MS / 1000);
  const signature = `v0=${hmac('secret', `v0:${time}:${body}`)}`;
  return { headers: { 'x-zm-request-timestamp': time, 'x-zm-signature': signature }, body };
}

const TOKEN_TEXT = 'Validation: Testing client application reachability for subscription Request-Id: 1';
const BRAINTREE_KEY = createHash('sha1').update('private').digest();
const BRAINTREE_CHALLENGE = '20f9f8ed05f77439fe955c977e4c8a53';

/** One of every kind: what the provider sends, with which secrets and verify tokens, and what it wants to read. */
const KINDS: readonly {
  readonly kind: string;
  readonly id: string;
  readonly given: Given;
  readonly secrets?: readonly string[];
  readonly verifyTokens?: readonly string[];
  readonly wanted: Readonly<Record<string, unknown>>;
}[] = [
  {
    kind: 'a challenge in a signed JSON body, as JSON',
    id: 'slack',
    given: { body: '{"token":"x","challenge":"3eZb","type":"url_verification"}' },
    wanted: { status: 200, body: '{"challenge":"3eZb"}' },
  },
  {
    kind: 'a challenge in a JSON body, repeated',
    id: 'monday',
    given: { body: '{"challenge":"abc"}' },
    wanted: { status: 200, body: '{"challenge":"abc"}' },
  },
  {
    kind: 'Graph’s validation token, decoded, as text',
    id: 'outlook',
    given: { query: `validationToken=${encodeURIComponent(TOKEN_TEXT).replaceAll('%20', '+')}` },
    wanted: {
      status: 200,
      body: TOKEN_TEXT,
      type: 'text/plain',
    },
  },
  {
    kind: 'a challenge in the query of a GET',
    id: 'dropbox',
    given: { method: 'GET', query: 'challenge=abc123' },
    wanted: {
      status: 200,
      body: 'abc123',
      type: 'text/plain',
    },
  },
  {
    kind: 'hub.challenge with the verify token',
    id: 'facebook',
    given: { method: 'GET', query: 'hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=mine' },
    verifyTokens: ['mine'],
    wanted: { status: 200, body: '1158201444', verified: true },
  },
  {
    kind: 'hub.challenge answered in JSON',
    id: 'strava',
    given: { method: 'GET', query: 'hub.mode=subscribe&hub.challenge=15f7d1&hub.verify_token=mine' },
    verifyTokens: ['newer', 'mine'],
    wanted: { status: 200, body: '{"hub.challenge":"15f7d1"}', verified: true },
  },
  {
    kind: 'Zoom’s plain token and its HMAC, once the request is signed',
    id: 'zoom',
    given: zoom('{"event":"endpoint.url_validation","payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"}}'),
    secrets: ['secret'],
    wanted: {
      status: 200,
      verified: true,
      body: JSON.stringify({
        plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
        encryptedToken: hmac('secret', 'qgg8vlvZRS6UYooatFL8Aw'),
      }),
    },
  },
  {
    kind: 'X’s CRC',
    id: 'x',
    given: { method: 'GET', query: 'crc_token=N2ZkYjM5' },
    secrets: ['consumer'],
    wanted: { status: 200, body: `{"response_token":"sha256=${hmac('consumer', 'N2ZkYjM5', 'base64')}"}` },
  },
  {
    kind: 'Asana’s secret, which it signs with from then on',
    id: 'asana',
    given: { headers: { 'X-Hook-Secret': 'b537207f20cbfa02357cf448134da559' }, body: '{}' },
    wanted: {
      status: 200,
      keepSecret: 'b537207f20cbfa02357cf448134da559',
      headers: expect.objectContaining({ 'x-hook-secret': 'b537207f20cbfa02357cf448134da559' }),
    },
  },
  {
    kind: 'Wrike’s secret, proven with ours',
    id: 'wrike',
    given: { headers: { 'X-Hook-Secret': 'abc123' }, body: '{}' },
    secrets: ['ours'],
    wanted: { status: 200, headers: expect.objectContaining({ 'x-hook-secret': hmac('ours', 'abc123') }) },
  },
  {
    kind: 'Notion’s verification token',
    id: 'notion',
    given: { body: '{"verification_token":"secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl"}' },
    wanted: { status: 200, keepSecret: 'secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl' },
  },
  {
    kind: 'Gusto’s verification token',
    id: 'gusto',
    given: { body: '{"verification_token":"wDZ_abc123","webhook_subscription_uuid":"u"}' },
    wanted: { status: 200, keepSecret: 'wDZ_abc123' },
  },
  {
    kind: 'a GET at registration',
    id: 'mailchimp',
    given: { method: 'GET' },
    wanted: { status: 200, body: '' },
  },
  {
    kind: 'a HEAD at registration',
    id: 'trello',
    given: { method: 'HEAD' },
    wanted: { status: 200, body: '' },
  },
  {
    kind: 'Google’s sync message, with our token',
    id: 'google-calendar',
    given: { headers: { 'X-Goog-Resource-State': 'sync', 'X-Goog-Channel-Token': 'token' } },
    secrets: ['token'],
    wanted: { status: 200, verified: true },
  },
  {
    kind: 'Twitch’s signed challenge',
    id: 'twitch',
    given: twitch('{"challenge":"pogchamp-kappa-360noscope-vohiyo"}'),
    secrets: ['secret'],
    wanted: { status: 200, body: 'pogchamp-kappa-360noscope-vohiyo', verified: true },
  },
  {
    kind: 'eBay’s hash of challenge, token and address',
    id: 'ebay',
    given: { method: 'GET', url: URL_ONE, query: 'challenge_code=a8628072' },
    secrets: ['my-verification-token'],
    wanted: {
      status: 200,
      body: `{"challengeResponse":"${createHash('sha256').update(`a8628072my-verification-token${URL_ONE}`).digest('hex')}"}`,
    },
  },
  {
    kind: 'LinkedIn’s challenge code',
    id: 'linkedin',
    given: { method: 'GET', query: 'challengeCode=890e4665-4dfe-4ab1-b689-ed553bceeed0&applicationId=1' },
    secrets: ['client'],
    wanted: {
      status: 200,
      body: JSON.stringify({
        challengeCode: '890e4665-4dfe-4ab1-b689-ed553bceeed0',
        challengeResponse: hmac('client', '890e4665-4dfe-4ab1-b689-ed553bceeed0'),
      }),
    },
  },
  {
    kind: 'Adobe Sign’s client id, repeated',
    id: 'adobe-sign',
    given: { method: 'GET', headers: { 'X-AdobeSign-ClientId': 'client-1' } },
    secrets: ['client-1'],
    wanted: {
      status: 200,
      verified: true,
      headers: expect.objectContaining({ 'x-adobesign-clientid': 'client-1' }),
    },
  },
  {
    kind: 'Discord’s ping of an interactions endpoint',
    id: 'discord',
    given: discord('{"id":"1","type":1}'),
    secrets: [DISCORD_KEY],
    wanted: { status: 200, body: '{"type":1}', verified: true },
  },
  {
    kind: 'Discord’s ping of webhook events',
    id: 'discord',
    given: discord('{"version":1,"application_id":"1","type":0}'),
    secrets: [DISCORD_KEY],
    wanted: { status: 204, body: '', verified: true },
  },
  {
    kind: 'Smartsheet’s challenge',
    id: 'smartsheet',
    given: { headers: { 'Smartsheet-Hook-Challenge': 'c-1' }, body: '{}' },
    wanted: { status: 200, headers: expect.objectContaining({ 'smartsheet-hook-response': 'c-1' }) },
  },
  {
    kind: 'RingCentral’s validation token',
    id: 'ringcentral',
    given: { headers: { 'Validation-Token': 'v-1' } },
    wanted: { status: 200, headers: expect.objectContaining({ 'validation-token': 'v-1' }) },
  },
  {
    kind: 'Fitbit’s right code',
    id: 'fitbit',
    given: { method: 'GET', query: 'verify=right' },
    verifyTokens: ['right'],
    wanted: { status: 204, verified: true },
  },
  {
    kind: 'Fitbit’s wrong code',
    id: 'fitbit',
    given: { method: 'GET', query: 'verify=wrong' },
    verifyTokens: ['right'],
    wanted: { status: 404, verified: false },
  },
  {
    kind: 'Braintree’s challenge',
    id: 'braintree',
    given: { method: 'GET', query: `bt_challenge=${BRAINTREE_CHALLENGE}` },
    secrets: ['public:private'],
    wanted: {
      status: 200,
      body: `public|${createHmac('sha1', BRAINTREE_KEY).update(BRAINTREE_CHALLENGE).digest('hex')}`,
    },
  },
  {
    kind: 'GitHub’s signed ping',
    id: 'github',
    given: {
      headers: { 'X-GitHub-Event': 'ping', 'X-Hub-Signature-256': `sha256=${hmac('secret', '{}')}` },
      body: '{}',
    },
    secrets: ['secret'],
    wanted: { status: 200, verified: true },
  },
  {
    kind: 'WooCommerce’s ping in a form',
    id: 'woocommerce',
    given: { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'webhook_id=7' },
    wanted: { status: 200 },
  },
  {
    kind: 'Front’s challenge header',
    id: 'front',
    given: { headers: { 'X-Front-Challenge': 'f-1' }, body: '{}' },
    wanted: { status: 200, body: 'f-1' },
  },
  {
    kind: 'Oura’s challenge with the verify token',
    id: 'oura',
    given: { method: 'GET', query: 'verification_token=mine&challenge=o-1' },
    verifyTokens: ['mine'],
    wanted: { status: 200, body: '{"challenge":"o-1"}', verified: true },
  },
];

describe('the handshake', () => {
  it.each(KINDS.map((each) => [each.kind, each] as const))('%s', (_kind, each) => {
    expect(answer(each.id, each.given, each.secrets, each.verifyTokens)).toMatchObject(each.wanted);
  });

  it('is no handshake where the verify token is another', () => {
    const query = 'hub.mode=subscribe&hub.challenge=1&hub.verify_token=other';
    expect(answer('facebook', { method: 'GET', query }, [], ['mine'])).toBeUndefined();
    expect(answer('facebook', { method: 'GET', query }, [], [])).toBeUndefined();
  });

  it('never replaces a secret that is known', () => {
    const given = { headers: { 'X-Hook-Secret': 'planted-by-another' }, body: '{}' };
    expect(answer('asana', given, ['known'])).toBeUndefined();
    expect(answer('notion', { body: '{"verification_token":"planted"}' }, ['known'])).toBeUndefined();
  });

  it('is no handshake where its signature is wrong', () => {
    expect(answer('discord', discord('{"id":"1","type":1}'), ['00'.repeat(32)])).toBeUndefined();
    expect(answer('twitch', twitch('{"challenge":"x"}'), ['other'])).toBeUndefined();
    const sync = { headers: { 'X-Goog-Resource-State': 'sync', 'X-Goog-Channel-Token': 'other' } };
    expect(answer('google-calendar', sync, ['token'])).toBeUndefined();
  });

  it('signs nothing for a sender that could pass as a webhook', () => {
    const body = '{"event":"forged"}';
    expect(
      answer('wrike', { headers: { 'X-Hook-Secret': `[${body}]` }, body: '{}' }, ['ours']),
    ).toBeUndefined();
    expect(
      answer('x', { method: 'GET', query: `crc_token=${encodeURIComponent(body)}` }, ['consumer']),
    ).toBeUndefined();
    const payload = Buffer.from('<notification><kind>x</kind></notification>').toString('base64');
    const query = `bt_challenge=${encodeURIComponent(payload)}`;
    expect(answer('braintree', { method: 'GET', query }, ['public:private'])).toBeUndefined();
    const token = `v0:1700000000:${body}`;
    const validation = { event: 'endpoint.url_validation', payload: { plainToken: token } };
    expect(answer('zoom', zoom(JSON.stringify(validation)), ['secret'])).toBeUndefined();
  });

  it('repeats no character that would end a header', () => {
    const given = { headers: { 'Validation-Token': 'a\r\nset-cookie: b=1' } };
    expect(answer('ringcentral', given)).toBeUndefined();
  });

  it('is not looked for in a body that is longer than any of them', () => {
    const body = JSON.stringify({ type: 'url_verification', challenge: 'x', padding: 'y'.repeat(20_000) });
    expect(answer('slack', { body })).toBeUndefined();
  });

  it('leaves ordinary webhooks of all providers alone', () => {
    const answered = DESCRIBED.filter(
      (description) =>
        respondToHandshake(description, buildRequest({ body: '{"event":"x"}' }), ['secret'], {
          now: () => NOW_MS,
          verifyTokens: ['mine'],
        }) !== undefined,
    );
    expect(answered.map(({ providerId }) => providerId)).toEqual([]);
  });

  it('Xero’s intent to receive is an ordinary webhook: right ones verify, wrong ones do not', async () => {
    const body = '{"events":[],"firstEventSequence":0,"lastEventSequence":0}';
    const judge = (signature: string) => {
      const request = buildRequest({ headers: { 'x-xero-signature': signature }, body });
      return verifyWebhook(describeProvider('xero'), request, ['key'], toolsAt(NOW_MS));
    };
    expect(await judge(hmac('key', body, 'base64'))).toMatchObject({ ok: true });
    expect(await judge(hmac('other', body, 'base64'))).toEqual({ ok: false, reason: 'mismatch' });
  });
});
