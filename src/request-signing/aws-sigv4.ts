import { createHash } from 'node:crypto';
import aws4 from 'aws4';
import { withDefaults } from '../catalog/facts/template-values.ts';
import type { AwsSigV4Rules } from '../catalog/schema/provider-signing.schema.ts';
import { HttpError } from '../http/errors.ts';
import { fillTemplate } from '../lib/template.ts';
import type { BodyQuestion, CallSigner, SignedRequest, UnsignedRequest } from './call-signer.ts';
import { fieldValue, isSendable, withLength, withoutFields } from './fields.ts';
import {
  bodyTooLargeToSignError,
  incompleteCredentialError,
  unreadableTargetError,
} from './signing-errors.ts';

const HASH_FIELD = 'x-amz-content-sha256';
/** What belongs to a signature; a client's own was made with stand-in keys. */
const SIGNATURE_FIELDS: ReadonlySet<string> = new Set([
  ...['authorization', 'x-amz-date', HASH_FIELD, 'x-amz-security-token', 'x-amz-region-set'],
]);
const SHA256_HEX = /^[0-9a-f]{64}$/;
/** Bodies without a signature of their own; the second kind is divided into chunks with a checksum at the end. */
const UNSIGNED = ['UNSIGNED-PAYLOAD', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'];

/**
 * Signs calls with AWS Signature Version 4 through aws4, which knows the services' ways: paths are encoded twice, but
 * once for S3; query parameters are sorted for the signature and sent as they came. Signed are Host, Content-Type,
 * Content-MD5 and every `X-Amz-` field, since servers in between may change others. `defaults` are values of variables
 * that a connection lacks.
 */
export function createAwsSigV4Signer(
  rules: AwsSigV4Rules,
  defaults: Readonly<Record<string, string>>,
): CallSigner {
  return {
    bodyBytesMax: rules.bodyBytesMax,
    bodyUse: (question) => bodyUse(rules, question),
    sign: (request) => sign(rules, withDefaults(defaults, request.values), request),
  };
}

function bodyUse(
  { unsignedPayload, bodyBytesMax }: AwsSigV4Rules,
  { fields, announcedBytes }: BodyQuestion,
): 'whole' | 'streams' {
  const claim = fieldValue(fields, HASH_FIELD)?.trim();
  if (claim?.startsWith('STREAMING-') && !(unsignedPayload && UNSIGNED.includes(claim)))
    throw new HttpError('signed_body_not_supported');
  if (claim !== undefined && SHA256_HEX.test(claim)) return 'streams';
  if (claim !== undefined && unsignedPayload && UNSIGNED.includes(claim)) return 'streams';
  if (announcedBytes === undefined || announcedBytes <= bodyBytesMax) return 'whole';
  if (unsignedPayload) return 'streams';
  throw bodyTooLargeToSignError(bodyBytesMax);
}

/**
 * The caller's own hash of a body that streams is believed: the service compares it with what it gets. Undefined where
 * the body is signed and no field says so; S3 wants the field always.
 */
function hashField(
  { unsignedPayload }: AwsSigV4Rules,
  { body, fields }: UnsignedRequest,
  service: string,
): string | undefined {
  if (body === undefined) {
    const claim = fieldValue(fields, HASH_FIELD)?.trim() ?? '';
    if (SHA256_HEX.test(claim) || (unsignedPayload && UNSIGNED.includes(claim))) return claim;
    const isStreaming = !['0', undefined].includes(fieldValue(fields, 'content-length'));
    if (isStreaming) return 'UNSIGNED-PAYLOAD';
  }
  return service === 's3' || unsignedPayload ? sha256Of(body ?? '') : undefined;
}

function sha256Of(body: Buffer | string): string {
  return createHash('sha256').update(body).digest('hex');
}

function sign(
  rules: AwsSigV4Rules,
  values: Readonly<Record<string, string>>,
  request: UnsignedRequest,
): SignedRequest {
  const parameters = parametersOf(rules, values, request.hostName);
  const { sessionToken } = parameters.credentials;
  const rest = withLength(withoutFields(request.fields, SIGNATURE_FIELDS), request.body);
  const hash = hashField(rules, request, parameters.service);
  const own = {
    'X-Amz-Date': new Date(request.nowMs).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    ...(sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }),
    ...(hash !== undefined && { 'X-Amz-Content-Sha256': hash }),
  };
  const signed = { ...signableFields(rest), host: request.host, ...own };
  const authorization = authorizationOf(request, signed, parameters);
  if (!isSendable(authorization) || !isSendable(sessionToken ?? '')) throw incompleteCredentialError();
  const fields = [...rest, ...Object.entries(own).flat(), 'Authorization', authorization];
  return { target: request.target, fields };
}

function parametersOf(rules: AwsSigV4Rules, values: Readonly<Record<string, string>>, hostName?: string) {
  const own = hostName === undefined ? undefined : rules.hosts[hostName];
  const named = fillTemplate(own?.service ?? rules.service, values);
  const region = fillTemplate(own?.region ?? rules.region, values);
  const accessKeyId = fillTemplate(rules.accessKeyId, values);
  const secretAccessKey = fillTemplate(rules.secretAccessKey, values);
  if (!named || !region || !accessKeyId || !secretAccessKey) throw incompleteCredentialError();
  const sessionToken = fillTemplate(rules.sessionToken, values) || undefined;
  const service = Object.hasOwn(rules.serviceNames, named) ? (rules.serviceNames[named] ?? named) : named;
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  return { credentials, service, region };
}

function signableFields(fields: readonly string[]): Record<string, string> {
  const signed: Record<string, string> = {};
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const name = fields[index]?.toLowerCase() ?? '';
    if (!name.startsWith('x-amz-') && name !== 'content-type' && name !== 'content-md5') continue;
    // The signer writes UTF-8, whereas a field's text has one character for each byte.
    const value = Buffer.from(fields[index + 1] ?? '', 'latin1').toString('utf8');
    signed[name] = Object.hasOwn(signed, name) ? `${signed[name]},${value}` : value;
  }
  return signed;
}

function authorizationOf(
  { method, target, body }: UnsignedRequest,
  headers: Readonly<Record<string, string>> & { readonly 'X-Amz-Date': string },
  { service, region, credentials }: ReturnType<typeof parametersOf>,
): string {
  const message = {
    ...{ method, path: target, headers, service, region, doNotModifyHeaders: true },
    ...(body !== undefined && { body }),
  };
  const signer = new aws4.RequestSigner(message, credentials);
  signer.datetime = headers['X-Amz-Date'];
  try {
    return signer.authHeader();
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw unreadableTargetError();
  }
}
