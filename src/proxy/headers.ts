import type { CallerCredential } from './contract.ts';
import { FIELD, type FieldRule, fieldRule, NOT_NOMINABLE } from './header-rules.ts';

/** Flat list of field names and values in wire order, as Node's `rawHeaders`: order, case and duplicates survive. */
export type FieldList = string[];

/** Where the user JWT stood, and what is needed to put the real credential into the same place. */
export type TokenPlace =
  | { readonly in: 'scheme' }
  | { readonly in: 'header'; readonly name: string }
  | { readonly in: 'basic'; readonly part: 'username' | 'password'; readonly otherHalf: string };

/** A caller's header section, read once. `forward` still holds the caller's Host and credential at their slots. */
export type RequestFields = {
  forward: FieldList;
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
  gatewayConnection: string | undefined;
  gatewayIntegration: string | undefined;
  gatewayRetry: string | undefined;
  requestedMethod: string | undefined;
  requestedHeaders: string | undefined;
  /** Length of the longest forwarded value besides Host and the credential. */
  longestValue: number;
};

/**
 * Reads a header section in one pass. `callerHeaders` are the lower-case names of the provider's own credential
 * headers, which count as credentials beside `Authorization`.
 */
export function readFields(rawHeaders: readonly string[], callerHeaders: readonly string[]): RequestFields {
  const fields = emptyFields();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    readField(fields, rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '', callerHeaders);
  }
  return fields;
}

function emptyFields(): RequestFields {
  return {
    forward: [],
    hostCount: 0,
    hostSlot: -1,
    credentialCount: 0,
    credentialSlot: -1,
    connection: undefined,
    contentLength: undefined,
    transferEncoding: undefined,
    upgrade: undefined,
    origin: undefined,
    gatewayConnection: undefined,
    gatewayIntegration: undefined,
    gatewayRetry: undefined,
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
    if (fields.hostSlot < 0) fields.hostSlot = fields.forward.push(name, value) - 2;
  } else if (rule === FIELD.authorization) {
    readCredential(fields, name, value);
  } else if (rule === FIELD.contentLength) {
    fields.contentLength = value;
    forward(fields, name, value);
  } else if (rule !== FIELD.drop) {
    readAddressed(fields, rule, name, value);
  }
}

/** Fields that tell the gateway something. */
function readAddressed(fields: RequestFields, rule: FieldRule, name: string, value: string): void {
  if (rule === FIELD.connection) fields.connection = joined(fields.connection, value);
  else if (rule === FIELD.transferEncoding) fields.transferEncoding = joined(fields.transferEncoding, value);
  else if (rule === FIELD.upgrade) fields.upgrade = joined(fields.upgrade, value);
  else if (rule === FIELD.origin) fields.origin = joined(fields.origin, value);
  else if (rule === FIELD.gatewayConnection)
    fields.gatewayConnection = joined(fields.gatewayConnection, value);
  else if (rule === FIELD.gatewayIntegration) {
    fields.gatewayIntegration = joined(fields.gatewayIntegration, value);
  } else if (rule === FIELD.gatewayRetry) fields.gatewayRetry = joined(fields.gatewayRetry, value);
  else {
    if (rule === FIELD.requestedMethod) fields.requestedMethod = value;
    else fields.requestedHeaders = joined(fields.requestedHeaders, value);
    forward(fields, name, value);
  }
}

/** RFC 9110 section 5.3: a repeated field is one list. */
function joined(before: string | undefined, value: string): string {
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

/** A provider's caller places, arranged for look-up; made once per provider. */
export type CallerPlaces = {
  readonly headers: readonly string[];
  readonly schemes: readonly string[];
  readonly basic: 'username' | 'password' | undefined;
};

/** Lower-cases names and schemes; `bearer` is always among the schemes. */
export function callerPlaces(credentials: readonly CallerCredential[]): CallerPlaces {
  const headers: string[] = [];
  const schemes = ['bearer'];
  let basic: CallerPlaces['basic'];
  for (const credential of credentials) {
    if (credential.in === 'header') headers.push(credential.name.toLowerCase());
    else if (credential.in === 'scheme') schemes.push(credential.scheme.toLowerCase());
    else basic = credential.part;
  }
  return { headers: headers.filter((name) => name !== 'authorization'), schemes, basic };
}

export type TokenReading =
  | { readonly kind: 'token'; readonly token: string; readonly place: TokenPlace }
  | { readonly kind: 'missing' }
  /** RFC 6750 section 3.1: more than one credential makes the request invalid, whichever of them is good. */
  | { readonly kind: 'several' };

const MISSING: TokenReading = { kind: 'missing' };
const SEVERAL: TokenReading = { kind: 'several' };
const IN_SCHEME: TokenPlace = { in: 'scheme' };

/** Finds the one user JWT of a request. It is not verified here. */
export function readToken(fields: RequestFields, places: CallerPlaces): TokenReading {
  if (fields.credentialCount > 1) return SEVERAL;
  const name = fields.forward[fields.credentialSlot];
  const value = fields.forward[fields.credentialSlot + 1];
  if (name === undefined || value === undefined) return MISSING;
  if (name.length !== 13 || name.toLowerCase() !== 'authorization') {
    return value === '' ? MISSING : { kind: 'token', token: value, place: { in: 'header', name } };
  }
  const space = value.indexOf(' ');
  if (space < 0) return MISSING;
  const scheme = value.slice(0, space).toLowerCase();
  const rest = value.slice(space + 1).trim();
  if (rest === '') return MISSING;
  if (places.schemes.includes(scheme)) return { kind: 'token', token: rest, place: IN_SCHEME };
  return scheme === 'basic' && places.basic !== undefined ? readBasic(rest, places.basic) : MISSING;
}

/** RFC 7617: user-id and password divide at the first colon. */
function readBasic(encoded: string, part: 'username' | 'password'): TokenReading {
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) return MISSING;
  const username = decoded.slice(0, colon);
  const password = decoded.slice(colon + 1);
  const token = part === 'username' ? username : password;
  if (token === '') return MISSING;
  return {
    kind: 'token',
    token,
    place: { in: 'basic', part, otherHalf: part === 'username' ? password : username },
  };
}

export type Replacement = {
  readonly host: string;
  /** The real credential's field; undefined when it stands in the path or the query. */
  readonly credential: { readonly name: string; readonly value: string } | undefined;
  readonly apiHeaders: readonly (readonly [name: string, value: string])[];
  /** The user JWT, which must not be in any other field either. */
  readonly token: string;
  readonly method: string;
};

/** The usual values of `Connection`, which name no field. */
const NOMINATES_NOTHING = /^(?:keep-alive|close)?$/i;

/** Methods whose requests without a body carry no `Content-Length` (RFC 9110 section 8.6). */
const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/**
 * The header section that the provider gets: the caller's fields in their order, Host and credential replaced where
 * they stood, the framing fields made explicit. Does not change its arguments.
 */
export function outgoingFields(request: RequestFields, replacement: Replacement): FieldList {
  const out = needsFilter(request, replacement)
    ? filtered(request, replacement)
    : copied(request, replacement);
  for (const [name, value] of replacement.apiHeaders) {
    if (firstField(out, name.toLowerCase()) === undefined) out.push(name, value);
  }
  if (request.transferEncoding !== undefined) {
    // A chunked upload ends its connection, so that a server that misreads the chunks cannot
    // take what follows for a request of the next user on that connection.
    out.push('Transfer-Encoding', 'chunked', 'Connection', 'close');
  } else if (request.contentLength === undefined && !BODYLESS.has(replacement.method)) {
    out.push('Content-Length', '0');
  }
  return out;
}

/** The common case, all fields forwarded: a copy with two values exchanged, in the caller's spelling of the names. */
function copied(request: RequestFields, { host, credential }: Replacement): FieldList {
  const out = request.forward.slice();
  if (request.hostSlot >= 0) out[request.hostSlot + 1] = host;
  const slot = request.credentialSlot;
  if (credential !== undefined) {
    out[slot + 1] = credential.value;
  } else {
    out.splice(slot, 2);
  }
  if (request.hostSlot < 0) out.unshift('Host', host);
  return out;
}

function needsFilter(request: RequestFields, { credential, token }: Replacement): boolean {
  if (request.connection !== undefined && !NOMINATES_NOTHING.test(request.connection)) return true;
  if (request.longestValue >= token.length) return true;
  return credential !== undefined && !isSameName(request.forward[request.credentialSlot], credential.name);
}

function isSameName(left: string | undefined, right: string): boolean {
  if (left === right) return true;
  return left?.length === right.length && left.toLowerCase() === right.toLowerCase();
}

function filtered(request: RequestFields, replacement: Replacement): FieldList {
  const nominated = nominatedFields(request.connection);
  const credentialName = replacement.credential?.name.toLowerCase();
  const out: FieldList = [];
  if (request.hostSlot < 0) out.push('Host', replacement.host);
  for (let index = 0; index + 1 < request.forward.length; index += 2) {
    const name = request.forward[index] ?? '';
    const value = request.forward[index + 1] ?? '';
    if (index === request.hostSlot) out.push(name, replacement.host);
    else if (index === request.credentialSlot) {
      if (replacement.credential) out.push(replacement.credential.name, replacement.credential.value);
    } else if (!isWithheld(name.toLowerCase(), value, credentialName, nominated, replacement.token)) {
      out.push(name, value);
    }
  }
  return out;
}

function isWithheld(
  name: string,
  value: string,
  credentialName: string | undefined,
  nominated: ReadonlySet<string>,
  token: string,
): boolean {
  return name === credentialName || nominated.has(name) || value.includes(token);
}

/** Names that `Connection` lists (RFC 9110 section 7.6.1), less those that no intermediary may lose. */
export function nominatedFields(connection: string | undefined): ReadonlySet<string> {
  const nominated = new Set<string>();
  for (const option of connection?.split(',') ?? []) {
    const name = option.trim().toLowerCase();
    if (name !== '' && !NOT_NOMINABLE.has(name)) nominated.add(name);
  }
  return nominated;
}

/** The first value of a field in a flat list. */
export function firstField(fields: readonly string[], lowerName: string): string | undefined {
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? '';
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) return fields[index + 1];
  }
  return undefined;
}
