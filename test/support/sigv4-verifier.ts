import { createHash, createHmac } from 'node:crypto';

/** A request as a server got it. */
export type ReceivedRequest = {
  readonly method: string;
  readonly target: string;
  /** Names and values in turn. */
  readonly fields: readonly string[];
  readonly body: Buffer;
};

type Key = { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string };

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text, 'utf8').digest();
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Judges a request as AWS documents it ("Create a signed AWS API request"), written apart from the gateway's signer.
 * Answers what is wrong with it, or undefined. `service` is whose server this is.
 */
export function sigV4Fault(request: ReceivedRequest, key: Key, service: string): string | undefined {
  const field = (name: string) => valuesOf(request.fields, name).join(',');
  const authorizations = valuesOf(request.fields, 'authorization');
  if (authorizations.length !== 1) return `${authorizations.length} Authorization fields`;
  const [, id, date, region, signedService, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      authorizations[0] ?? '',
    ) ?? [];
  if (id !== key.accessKeyId) return 'another access key';
  if (signedService !== service) return `signed for ${signedService}`;
  const stamp = field('x-amz-date');
  if (stamp.slice(0, 8) !== date) return 'another day in the scope than in X-Amz-Date';
  if (field('x-amz-security-token') !== (key.sessionToken ?? '')) return 'another session token';
  const signed = (names ?? '').split(';');
  const wanted = request.fields
    .filter((_text, index) => index % 2 === 0)
    .map((name) => name.toLowerCase())
    .filter((name) => name === 'host' || name.startsWith('x-amz-'));
  const unsigned = wanted.filter((name) => !signed.includes(name));
  if (unsigned.length > 0) return `not signed: ${unsigned.join(', ')}`;
  const claimed = field('x-amz-content-sha256');
  if (service === 's3' && claimed === '') return 'no X-Amz-Content-Sha256';
  const isUnsigned = claimed === 'UNSIGNED-PAYLOAD' || claimed === 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
  if (isUnsigned && service !== 's3') return 'this service takes no unsigned payload';
  if (claimed !== '' && !isUnsigned && claimed !== sha256(request.body))
    return 'another body than was hashed';
  const canonical = [
    request.method,
    canonicalPath(request.target.split('?')[0] ?? '', service),
    canonicalQuery(request.target.split('?').slice(1).join('?')),
    ...signed.map((name) => `${name}:${field(name).trim().replace(/ +/g, ' ')}`),
    '',
    signed.join(';'),
    claimed === '' ? sha256(request.body) : claimed,
  ].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', stamp, scope, sha256(Buffer.from(canonical, 'utf8'))].join('\n');
  const steps = [date ?? '', region ?? '', service, 'aws4_request', text];
  const expected = steps.reduce<string | Buffer>(hmac, `AWS4${key.secretAccessKey}`).toString('hex');
  return expected === signature ? undefined : `another signature; canonical request:\n${canonical}`;
}

function valuesOf(fields: readonly string[], lowerName: string): string[] {
  return fields.flatMap((_text, index) =>
    index % 2 === 0 && fields[index]?.toLowerCase() === lowerName
      ? [Buffer.from(fields[index + 1] ?? '', 'latin1').toString('utf8')]
      : [],
  );
}

/** S3 reads the key out of the path and encodes it once; all other services encode the encoded path again. */
function canonicalPath(path: string, service: string): string {
  if (service === 's3') return decodeURIComponent(path).split('/').map(encode).join('/');
  return path
    .replace(/\/{2,}/g, '/')
    .split('/')
    .map(encode)
    .join('/');
}

function canonicalQuery(query: string): string {
  if (query === '') return '';
  const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
  return query
    .split('&')
    .map((pair) => [pair.split('=', 1)[0] ?? '', pair.includes('=') ? pair.slice(pair.indexOf('=') + 1) : ''])
    .map(([name, value]) => [encode(decode(name ?? '')), encode(decode(value ?? ''))] as const)
    .sort(([a, b], [c, d]) => (a === c ? (b < d ? -1 : 1) : a < c ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}
