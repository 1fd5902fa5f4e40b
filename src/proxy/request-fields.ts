import type { FieldList } from './field-list.ts';
import { FIELD, type FieldRule, fieldRule } from './request-field-rules.ts';
import { type SignaturePlace, signedToken } from './signed-token.ts';

/** A caller's header section, read once. `forward` still holds the caller's Host and credential at their slots. */
export type RequestFields = {
  forward: FieldList;
  host: string | undefined;
  hostCount: number;
  /** Index in `forward`, -1 when absent. */
  hostSlot: number;
  credentialCount: number;
  credentialSlot: number;
  connection: string | undefined;
  contentLength: string | undefined;
  transferEncoding: string | undefined;
  upgrade: string | undefined;
  origin: string | undefined;
  traceparent: string | undefined;
  /** Browsers say so on every request to https and to loopback (Fetch Metadata). */
  isFromBrowser: boolean;
  gatewayConnection: string | undefined;
  gatewayIntegration: string | undefined;
  gatewayRetry: string | undefined;
  gatewayTimeout: string | undefined;
  gatewayRewriteLinks: string | undefined;
  gatewayLoop: string | undefined;
  gatewayTiming: string | undefined;
  gatewayApproval: string | undefined;
  requestedMethod: string | undefined;
  requestedHeaders: string | undefined;
  /** Length of the longest forwarded value besides Host and the credential. */
  longestValue: number;
};

const NO_SIGNATURES: readonly SignaturePlace[] = [];

/**
 * Reads a header section in one pass. `callerHeaders` are the lower-case names of the provider's own credential
 * headers, which count as credentials beside `Authorization`. A signature of one of the `signatures` that was made with
 * stand-in keys is dropped.
 */
export function readFields(
  rawHeaders: readonly string[],
  callerHeaders: readonly string[],
  signatures: readonly SignaturePlace[] = NO_SIGNATURES,
): RequestFields {
  const fields = emptyFields();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    if (signatures.length > 0 && isForeignSignature(name, value, signatures)) continue;
    readField(fields, name, value, callerHeaders);
  }
  return fields;
}

function isForeignSignature(name: string, value: string, signatures: readonly SignaturePlace[]): boolean {
  return name.toLowerCase() === 'authorization' && signedToken(value, signatures) === '';
}

function emptyFields(): RequestFields {
  return {
    forward: [],
    host: undefined,
    hostCount: 0,
    hostSlot: -1,
    credentialCount: 0,
    credentialSlot: -1,
    connection: undefined,
    contentLength: undefined,
    transferEncoding: undefined,
    upgrade: undefined,
    origin: undefined,
    traceparent: undefined,
    isFromBrowser: false,
    gatewayConnection: undefined,
    gatewayIntegration: undefined,
    gatewayRetry: undefined,
    gatewayTimeout: undefined,
    gatewayRewriteLinks: undefined,
    gatewayLoop: undefined,
    gatewayTiming: undefined,
    gatewayApproval: undefined,
    requestedMethod: undefined,
    requestedHeaders: undefined,
    longestValue: 0,
  };
}

function readField(
  fields: RequestFields,
  name: string,
  value: string,
  callerHeaders: readonly string[],
): void {
  const rule = fieldRule(name);
  if (rule === FIELD.forward) {
    const isCredential = callerHeaders.length > 0 && callerHeaders.includes(name.toLowerCase());
    if (isCredential) readCredential(fields, name, value);
    else forward(fields, name, value);
  } else if (rule === FIELD.host) {
    fields.hostCount += 1;
    if (fields.hostSlot >= 0) return;
    fields.host = value;
    fields.hostSlot = fields.forward.push(name, value) - 2;
  } else if (rule === FIELD.authorization) {
    readCredential(fields, name, value);
  } else if (rule !== FIELD.drop) {
    readKnownField(fields, rule, name, value);
  }
}

/** Fields that the gateway itself reads; the provider gets some of them as well. */
function readKnownField(fields: RequestFields, rule: FieldRule, name: string, value: string): void {
  switch (rule) {
    case FIELD.contentLength:
      fields.contentLength = value;
      forward(fields, name, value);
      return;
    case FIELD.traceparent:
      fields.traceparent = value;
      forward(fields, name, value);
      return;
    case FIELD.fetchMetadata:
      fields.isFromBrowser = true;
      forward(fields, name, value);
      return;
    case FIELD.requestedMethod:
      fields.requestedMethod = value;
      forward(fields, name, value);
      return;
    case FIELD.requestedHeaders:
      fields.requestedHeaders = joinValues(fields.requestedHeaders, value);
      forward(fields, name, value);
      return;
    case FIELD.connection:
      fields.connection = joinValues(fields.connection, value);
      return;
    case FIELD.transferEncoding:
      fields.transferEncoding = joinValues(fields.transferEncoding, value);
      return;
    case FIELD.upgrade:
      fields.upgrade = joinValues(fields.upgrade, value);
      return;
    case FIELD.origin:
      fields.origin = joinValues(fields.origin, value);
      fields.isFromBrowser = true;
      return;
    default:
      readGatewayField(fields, rule, value);
  }
}

/** `Gateway-…`: addressed to the gateway alone. */
function readGatewayField(fields: RequestFields, rule: FieldRule, value: string): void {
  if (rule === FIELD.gatewayConnection)
    fields.gatewayConnection = joinValues(fields.gatewayConnection, value);
  else if (rule === FIELD.gatewayIntegration)
    fields.gatewayIntegration = joinValues(fields.gatewayIntegration, value);
  else if (rule === FIELD.gatewayRetry) fields.gatewayRetry = joinValues(fields.gatewayRetry, value);
  else if (rule === FIELD.gatewayTimeout) fields.gatewayTimeout = joinValues(fields.gatewayTimeout, value);
  else if (rule === FIELD.gatewayRewriteLinks)
    fields.gatewayRewriteLinks = joinValues(fields.gatewayRewriteLinks, value);
  else if (rule === FIELD.gatewayLoop) fields.gatewayLoop = joinValues(fields.gatewayLoop, value);
  else if (rule === FIELD.gatewayTiming) fields.gatewayTiming = joinValues(fields.gatewayTiming, value);
  else if (rule === FIELD.gatewayApproval) fields.gatewayApproval = joinValues(fields.gatewayApproval, value);
}

/** RFC 9110 section 5.3: a repeated field is one list. */
function joinValues(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before},${value}`;
}

function forward(fields: RequestFields, name: string, value: string): void {
  if (value.length > fields.longestValue) fields.longestValue = value.length;
  fields.forward.push(name, value);
}

function readCredential(fields: RequestFields, name: string, value: string): void {
  fields.credentialCount += 1;
  if (fields.credentialSlot < 0) fields.credentialSlot = fields.forward.push(name, value) - 2;
}
