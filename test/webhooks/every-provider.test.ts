import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import type { WebhookSignature } from '../../src/catalog/schema/webhook-signature.schema.ts';
import { chooseScheme } from '../../src/webhooks/message/description.ts';
import type { WebhookDescription, WebhookRequest } from '../../src/webhooks/message/webhook.ts';
import { extractEvents } from '../../src/webhooks/processing/extract-events.ts';
import type { NewReceipt } from '../../src/webhooks/receipts/receipt.ts';
import { createReceive } from '../../src/webhooks/receiving/receive.ts';
import { verifyWebhook } from '../../src/webhooks/signatures/verify.ts';
import { signWebhook } from './sign-webhook.ts';
import { CERTIFICATE_OF_BOTH, CERTIFIED_KEY } from './support/key-certificates.ts';
import { buildRequest, DESCRIBED } from './support/requests.ts';

const NOW_MS = Date.parse('2026-11-22T10:00:00.000Z');

type Pair = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
const PAIRS = [0, 1].map(() => ({
  ed25519: generateKeyPairSync('ed25519'),
  ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
}));

const CERTIFIED: Pair = {
  privateKey: createPrivateKey(CERTIFIED_KEY),
  publicKey: createPublicKey(CERTIFIED_KEY),
};

function pairFor(signature: WebhookSignature, which: number): Pair | undefined {
  const pairs = PAIRS[which];
  const isCertified = 'key' in signature && signature.key?.certificateName !== undefined;
  if (isCertified && which === 0) return CERTIFIED;
  if (signature.scheme === 'jwt')
    return { RS256: pairs?.rsa, ES256: pairs?.ec, HS256: undefined }[signature.algorithm];
  if (signature.scheme !== 'public-key') return undefined;
  if (signature.algorithm === 'ed25519') return pairs?.ed25519;
  return signature.algorithm === 'rsa-sha256' ? pairs?.rsa : pairs?.ec;
}

/** A secret of the form that the scheme wants: what signs, and what is stored to verify with. */
function secretFor(signature: WebhookSignature, which: number): { signs: string; verifies: string } {
  const pair = pairFor(signature, which);
  if (pair !== undefined) {
    const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const isPart =
      ('signed' in signature && signature.signed.includes('{secret}')) ||
      ('claims' in signature && Object.values(signature.claims).includes('{secret}'));
    const verifies = isPart ? 'WH-1' : pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    return { signs: isPart ? `WH-1 ${pem}` : pem, verifies };
  }
  const bytes = Buffer.alloc(24, which + 1);
  const encoding = 'keyEncoding' in signature ? signature.keyEncoding : 'text';
  const forms = {
    text: `user-${which}:secret-${which}`,
    hex: bytes.toString('hex'),
    base64: bytes.toString('base64'),
    'standard-webhooks': `whsec_${bytes.toString('base64')}`,
  };
  const secret = forms[encoding];
  return { signs: secret, verifies: secret };
}

const BODIES = {
  form: 'bt_payload=abc&type=subscribe&MessageSid=SM1',
  json: JSON.stringify({
    id: 1,
    token: 'made-up',
    triggeredAt: 1,
    value: [{ id: 'a' }, { id: 'b' }],
    notificationItems: [
      { NotificationRequestItem: { pspReference: 'P1', eventCode: 'AUTHORISATION', success: 'true' } },
    ],
    signature: { token: 't' },
    event: { event_type: 'x', event_time: '1' },
  }),
};

function buildWebhook({ payload, signature }: WebhookDescription): WebhookRequest {
  const isForm = payload.format === 'form';
  const names = ('signed' in signature ? signature.signed : []).flatMap((part) =>
    part.startsWith('{header:') ? [[part.slice(8, -1), 'value-1'] as const] : [],
  );
  const key = signature.scheme === 'public-key' ? signature.key : undefined;
  const certificate =
    key?.hosts?.[0] === undefined ? 'key-1' : `https://${key.hosts[0]}${key.path ?? '/'}certificate.pem`;
  return buildRequest({
    query: signature.scheme === 'token' ? '' : 'kept=1',
    headers: {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      ...Object.fromEntries(names),
      'x-contentful-signed-headers': 'content-type,x-contentful-timestamp',
      ...(key?.idAt !== undefined && { [key.idAt.slice('header:'.length)]: certificate }),
    },
    body: isForm ? BODIES.form : BODIES.json,
  });
}

function toolsFor(signature: WebhookSignature) {
  const fetchKey = async () => {
    const pair = pairFor(signature, 0);
    const jwk = { ...pair?.publicKey.export({ format: 'jwk' }), kid: 'key-1' };
    const pem = pair?.publicKey.export({ type: 'spki', format: 'pem' }).toString() ?? '';
    const key = 'key' in signature ? signature.key : undefined;
    if (key?.certificateName !== undefined) return CERTIFICATE_OF_BOTH;
    if (key?.hosts !== undefined) return pem;
    return JSON.stringify(
      key?.keyPath === undefined ? { keys: [jwk] } : { [key.keyPath]: pem.replaceAll('\n', '') },
    );
  };
  return { now: () => NOW_MS, fetchKey };
}

function sent(description: WebhookDescription, atMs = NOW_MS, which = 0): WebhookRequest {
  return signWebhook(
    description,
    buildWebhook(description),
    secretFor(description.signature, which).signs,
    atMs,
  );
}

function judge(description: WebhookDescription, request: WebhookRequest, secrets?: readonly string[]) {
  const { signature } = description;
  return verifyWebhook(
    description,
    request,
    secrets ?? [secretFor(signature, 0).verifies],
    toolsFor(signature),
  );
}

const REFUSED = (reason: string) => ({ ok: false, reason });

/** All schemes of all providers, an alternative under the name that integrations choose it by. */
const ALL = DESCRIBED.flatMap((description) => [
  [description.providerId, description] as const,
  ...Object.keys(description.alternatives ?? {}).flatMap((name) => {
    const chosen = chooseScheme(description, name);
    return chosen === undefined ? [] : [[`${description.providerId} (${name})`, chosen] as const];
  }),
]);
const PROVEN = ALL.filter(([, { signature }]) => signature.scheme !== 'none');
const isFetched = ({ signature }: WebhookDescription) => 'key' in signature && signature.key !== undefined;
const withSecret = PROVEN.filter(([, description]) => !isFetched(description));

function coversBody({ signature }: WebhookDescription): boolean {
  if (signature.scheme === 'jwt') return signature.at === 'body' || signature.bodyHash !== undefined;
  if (!('signed' in signature)) return false;
  return signature.signed.some((part) => /^\{(body|form|crc32|hook:form.*|form:bt_payload)\}$/.test(part));
}
const bodySigned = PROVEN.filter(([, description]) => coversBody(description));
const timed = PROVEN.filter(
  ([, { signature }]) => 'timestamp' in signature && signature.timestamp !== undefined,
);
const inHeaders = PROVEN.filter(
  ([, { signature }]) => 'at' in signature && signature.at.startsWith('header:'),
);

describe('a webhook of', () => {
  it.each(ALL)('%s is accepted as its provider sends it', async (_name, description) => {
    expect(await judge(description, sent(description))).toMatchObject({ ok: true, secretIndex: 0 });
  });

  it.each(withSecret)('%s is accepted while an older secret is still valid', async (_name, description) => {
    const secrets = [
      secretFor(description.signature, 1).verifies,
      secretFor(description.signature, 0).verifies,
    ];
    expect(await judge(description, sent(description), secrets)).toMatchObject({ ok: true, secretIndex: 1 });
  });

  it.each(PROVEN)('%s is refused with another secret', async (_name, description) => {
    const [own, other] = [0, 1].map((which) => secretFor(description.signature, which).verifies);
    const request = isFetched(description) ? sent(description, NOW_MS, 1) : sent(description);
    const secrets = [(isFetched(description) ? own : other) ?? ''];
    expect(await judge(description, request, secrets)).toEqual(REFUSED('mismatch'));
  });

  it.each(withSecret)('%s is refused without a secret', async (_name, description) => {
    expect(await judge(description, sent(description), [])).toEqual(REFUSED('no_secret'));
  });

  it.each(bodySigned)('%s is refused when one byte of the body is another', async (_name, description) => {
    const request = sent(description);
    const body = Buffer.from(request.body);
    const at = body.indexOf(description.payload.format === 'form' ? 'abc' : 'made-up');
    const place = description.signature.scheme === 'jwt' && at < 0 ? body.length >> 1 : at;
    body[place] = (body[place] ?? 0) ^ 1;
    expect(await judge(description, { ...request, body })).toMatchObject({ ok: false });
  });

  it.each(timed)('%s is refused when it is too old or from the future', async (_name, description) => {
    const { signature } = description;
    const tolerance = ('timestamp' in signature && signature.timestamp?.toleranceSeconds) || 0;
    for (const offset of [-tolerance - 2, tolerance + 2]) {
      const request = sent(description, NOW_MS + offset * 1000);
      expect(await judge(description, request)).toEqual(REFUSED('expired'));
    }
    const near = sent(description, NOW_MS - (tolerance - 2) * 1000);
    expect(await judge(description, near)).toMatchObject({ ok: true });
  });

  it.each(timed)('%s is refused when the time is no time, or missing', async (_name, description) => {
    const { signature } = description;
    const place = 'timestamp' in signature ? (signature.timestamp?.at ?? '') : '';
    if (!place.startsWith('header:')) return;
    const request = sent(description);
    const name = place.slice('header:'.length).toLowerCase();
    const headers = new Map(request.headers);
    headers.set(name, ['soon']);
    expect(await judge(description, { ...request, headers })).toEqual(REFUSED('malformed'));
    headers.set(name, [...(request.headers.get(name) ?? []), '1']);
    expect(await judge(description, { ...request, headers })).toEqual(REFUSED('malformed'));
    headers.delete(name);
    expect(await judge(description, { ...request, headers })).toEqual(REFUSED('missing'));
  });

  it.each(inHeaders)(
    '%s is refused when its proof is missing, doubled or cut',
    async (_name, description) => {
      const { signature } = description;
      const request = sent(description);
      const name = ('at' in signature ? signature.at : '').slice('header:'.length).toLowerCase();
      const [value = ''] = request.headers.get(name) ?? [];
      const withValues = (values: string[]) => ({
        ...request,
        headers: new Map([...request.headers, [name, values]]),
      });
      const without = new Map(request.headers);
      without.delete(name);
      expect(await judge(description, { ...request, headers: without })).toEqual(REFUSED('missing'));
      expect(await judge(description, withValues([value, value]))).toEqual(REFUSED('malformed'));
      expect(await judge(description, withValues([value.slice(0, -4)]))).toMatchObject({ ok: false });
      expect(await judge(description, withValues(['']))).toMatchObject({ ok: false });
    },
  );

  const reordered = PROVEN.filter(
    ([, { signature }]) => 'signed' in signature && signature.signed.length > 1,
  );
  it.each(reordered)(
    '%s is refused when the parts were signed in another order',
    async (_name, description) => {
      const { signature } = description;
      if (!('signed' in signature)) throw new Error('has no parts');
      const turned = { ...description, signature: { ...signature, signed: signature.signed.toReversed() } };
      const isSame = turned.signature.signed.join('') === signature.signed.join('');
      expect(isSame).toBe(false);
      expect(await judge(description, sent(turned))).toEqual(REFUSED('mismatch'));
    },
  );

  const hashed = inHeaders.filter(
    ([, { signature }]) => signature.scheme === 'hmac' || signature.scheme === 'digest',
  );
  it.each(hashed)('%s is refused in another encoding', async (_name, description) => {
    const { signature } = description;
    if (signature.scheme !== 'hmac' && signature.scheme !== 'digest') throw new Error('is no hash');
    const other = signature.encoding === 'base64' ? ('hex' as const) : ('base64' as const);
    const request = sent({ ...description, signature: { ...signature, encoding: other } });
    expect(await judge(description, request)).toEqual(REFUSED('malformed'));
  });
});

describe('the catalog', () => {
  it('has every provider of confidence high or medium whose webhooks come over HTTP', () => {
    expect(DESCRIBED.length).toBeGreaterThanOrEqual(142);
  });

  it('names the schemes that leave the body unproven, and no others', () => {
    const weak = PROVEN.filter(([, description]) => !coversBody(description))
      .filter(([, { signature }]) => signature.scheme !== 'token' && signature.scheme !== 'basic')
      .map(([name]) => name);
    expect(weak).toEqual([
      'adyen',
      'adyen-test',
      'dropbox-sign',
      'gmail',
      'google-chat',
      'google-forms',
      'jira',
      'lever',
      'mailgun',
      'mercado-pago',
      'monday',
      'teamtailor',
      'zoho-desk',
    ]);
  });

  it('has a secret that is derived, entered or made for every scheme with one', () => {
    const missing = withSecret.filter(([, { secret }]) => secret.from === 'none').map(([name]) => name);
    expect(missing).toEqual([]);
  });
});

describe('a scheme of strength', () => {
  const hubspot = DESCRIBED.find(({ providerId }) => providerId === 'hubspot');

  it('is not replaced by a weaker header beside it', async () => {
    if (hubspot === undefined) throw new Error('hubspot is missing');
    const v1 = chooseScheme(hubspot, 'v1');
    if (v1 === undefined) throw new Error('v1 is missing');
    const secret = secretFor(hubspot.signature, 0).signs;
    const weak = signWebhook(v1, buildWebhook(hubspot), secret, NOW_MS);
    expect(await judge(v1, weak)).toMatchObject({ ok: true });
    expect(await judge(hubspot, weak)).toEqual(REFUSED('missing'));
  });

  it('looks at bytes, not at what another scheme would accept of them', async () => {
    if (hubspot === undefined) throw new Error('hubspot is missing');
    const request = sent(hubspot);
    const forged = createHmac('sha256', 'other').update(request.body).digest('base64');
    const headers = new Map([...request.headers, ['x-hubspot-signature-v3', [forged]]]);
    expect(await judge(hubspot, { ...request, headers })).toEqual(REFUSED('mismatch'));
  });
});

/** Those whose secret, or a signature that fits other webhooks as well, travels in the message. */
const TRAVELLING = PROVEN.filter(
  ([, { signature }]) =>
    ['token', 'basic'].includes(signature.scheme) ||
    (signature.scheme === 'jwt' && !('key' in signature && signature.key !== undefined)),
);

describe.each(TRAVELLING)('what is stored of a webhook of %s', (_name, description) => {
  const secret = secretFor(description.signature, 0).verifies;
  const written = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)];

  async function receiptOf(request: WebhookRequest, secrets: readonly string[]): Promise<NewReceipt> {
    const receipts: NewReceipt[] = [];
    const keep = (receipt: NewReceipt) => void receipts.push(receipt);
    const owner = {
      integrationId: 'i',
      projectId: 'p',
      address: undefined,
      description,
      secrets,
      verifyTokens: [],
    };
    const receive = createReceive({
      write: async (receipt) => keep(receipt),
      isFull: async () => false,
      keepFirstSecret: async () => 'known',
      rejectedReceipts: { noteVerified: () => undefined, noteRejected: keep },
      explainMismatch: async () => 'signature_mismatch',
      kick: () => undefined,
      count: () => undefined,
      tools: toolsFor(description.signature),
      bodyThreads: { verify: async () => ({ ok: true, secretIndex: 0, signedAt: null }) },
    });
    await receive(owner, request).catch(() => undefined);
    const [receipt] = receipts;
    if (receipt === undefined) throw new Error('nothing was recorded');
    return receipt;
  }

  const shownOf = ({ query, headers, body }: NewReceipt) =>
    JSON.stringify({ query, headers, body: body.toString() });

  it('has no secret in it, whether it was accepted or refused', async () => {
    const request = sent(description);
    for (const secrets of [[secret], [], ['another-secret']]) {
      const receipt = await receiptOf(request, secrets);
      expect(receipt.state).toBe(secrets[0] === secret ? 'accepted' : 'rejected');
      for (const text of written) expect(shownOf(receipt)).not.toContain(text);
      expect(receipt.bodyBytes).toBe(receipt.body.length);
    }
  });

  it('makes the same events as the whole message, but for the secret', async () => {
    const request = sent(description);
    const { body, headers, query } = await receiptOf(request, [secret]);
    const kept = extractEvents(description, {
      ...request,
      body,
      headers: new Map(Object.entries(headers)),
      query,
    });
    const whole = extractEvents(description, request);
    expect(kept.ok && whole.ok && kept.items.length === whole.items.length).toBe(true);
    const dataOf = (made: typeof kept) => (made.ok ? made.items.map(({ dataText }) => dataText) : []);
    const withoutSecret = (text: string) => text.replaceAll(secret, '(left out)');
    expect(dataOf(kept)).toEqual(dataOf(whole).map(withoutSecret));
    for (const text of written) expect(JSON.stringify(kept)).not.toContain(text);
  });
});
