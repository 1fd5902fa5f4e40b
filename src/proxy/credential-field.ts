import { fillTemplate } from '../lib/template.ts';
import type { Credential, CredentialPlacement } from './contract.ts';
import type { TokenPlace } from './headers.ts';

export type CredentialField = { readonly name: string; readonly value: string };

/** `field` undefined: the credential stands in the path or the query. `fault`: it lacks a value, or cannot be sent. */
export type CredentialReading =
  | { readonly kind: 'field'; readonly field: CredentialField | undefined }
  | { readonly kind: 'fault' };

const FAULT: CredentialReading = { kind: 'fault' };
const NOT_A_FIELD: CredentialReading = { kind: 'field', field: undefined };

/** RFC 9110 section 5.5: anything else cannot stand in a field value; a line break would start a new field. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * The field that carries the real credential, by where the caller had put the user JWT:
 * a scheme of `Authorization` takes the provider's normal placement; a header of the provider's own takes the
 * credential itself; Basic keeps its other half, unless the connection has a user name of its own.
 */
export function credentialField(
  place: TokenPlace,
  placement: CredentialPlacement,
  credential: Credential,
): CredentialReading {
  if (place.in === 'basic' && placement.in !== 'basic') return intoBasic(place, credential);
  const ownName = placement.in === 'header' ? placement.name : 'Authorization';
  if (place.in === 'header' && place.name.toLowerCase() !== ownName.toLowerCase()) {
    return made(place.name, bareSecret(credential));
  }
  if (placement.in === 'query' || placement.in === 'path') return NOT_A_FIELD;
  return normal(placement, credential);
}

type FieldPlacement = Extract<CredentialPlacement, { in: 'header' | 'basic' }>;

/** Filled fields of credentials that are in use; gone with the credential object. */
const filled = new WeakMap<Credential, { placement: FieldPlacement; reading: CredentialReading }>();

function normal(placement: FieldPlacement, credential: Credential): CredentialReading {
  const known = filled.get(credential);
  if (known?.placement === placement) return known.reading;
  const name = placement.in === 'header' ? placement.name : 'Authorization';
  const reading = made(name, credential.headerValue ?? fill(placement, credential));
  filled.set(credential, { placement, reading });
  return reading;
}

function fill(placement: FieldPlacement, credential: Credential): string | undefined {
  if (placement.in === 'header') return fillTemplate(placement.template, credential.values);
  const username = fillTemplate(placement.username, credential.values);
  const password = fillTemplate(placement.password, credential.values);
  return username === undefined || password === undefined ? undefined : basic(username, password);
}

function intoBasic(place: Extract<TokenPlace, { in: 'basic' }>, credential: Credential): CredentialReading {
  const secret = bareSecret(credential);
  if (secret === undefined) return FAULT;
  const value = place.part === 'username' ? basic(secret, place.otherHalf) : basic(place.otherHalf, secret);
  return made('Authorization', value);
}

function bareSecret({ values }: Credential): string | undefined {
  return values.accessToken ?? values.apiKey ?? values.password;
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

function made(name: string, value: string | undefined): CredentialReading {
  if (value === undefined || value === '' || UNSENDABLE.test(value)) return FAULT;
  return { kind: 'field', field: { name, value } };
}
