import { type FieldList, firstField, nominatedFields } from './field-list.ts';
import type { RequestFields } from './request-fields.ts';
import { holdsToken } from './token-traces.ts';

type Replacement = {
  readonly host: string;
  /** The real credential's field; undefined when it stands in the path or the query. */
  readonly credential: { readonly name: string; readonly value: string } | undefined;
  readonly apiHeaders: readonly (readonly [name: string, value: string])[];
  /** The user JWT, which must not be in any other field either. */
  readonly token: string;
  readonly method: string;
  /** Value of `Gateway-Loop`. */
  readonly loopMark?: string | undefined;
  /** True where the gateway will read the answer's body: it understands no content coding. */
  readonly isIdentityWanted?: boolean;
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
    : copyFields(request, replacement);
  for (const [name, value] of replacement.apiHeaders) {
    if (firstField(out, name.toLowerCase()) === undefined) out.push(name, value);
  }
  // After the filter: no `Connection` field of the caller can take it away.
  if (replacement.loopMark !== undefined) out.push('Gateway-Loop', loopList(request, replacement.loopMark));
  if (replacement.isIdentityWanted === true) wantIdentity(out);
  if (request.transferEncoding !== undefined) {
    out.push('Transfer-Encoding', 'chunked');
  } else if (request.contentLength === undefined && !BODYLESS.has(replacement.method)) {
    out.push('Content-Length', '0');
  }
  return out;
}

/** Marks of other gateways that the call came through stay, so that a circle over several is seen as well. */
function loopList({ gatewayLoop }: RequestFields, mark: string): string {
  return gatewayLoop === undefined ? mark : `${gatewayLoop}, ${mark}`;
}

function wantIdentity(fields: FieldList): void {
  for (let index = fields.length - 2; index >= 0; index -= 2) {
    if (fields[index]?.toLowerCase() === 'accept-encoding') fields.splice(index, 2);
  }
  fields.push('Accept-Encoding', 'identity');
}

/** The common case, all fields forwarded: a copy with two values exchanged, in the caller's spelling of the names. */
function copyFields(request: RequestFields, { host, credential }: Replacement): FieldList {
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
  return name === credentialName || nominated.has(name) || holdsToken(value, token);
}
