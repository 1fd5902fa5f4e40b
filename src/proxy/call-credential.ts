import {
  type CredentialPlacement,
  type PlacedCredential,
  placeCredential,
} from '../lib/credential-placement.ts';
import type { Credential } from './contract.ts';

/** RFC 9110 section 5.5: anything else cannot stand in a field value; a line break would start a new field. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

type Remembered = { readonly placement: CredentialPlacement; readonly placed: PlacedCredential | undefined };

/** Placed credentials that are in use; gone with the credential object. */
const remembered = new WeakMap<Credential, Remembered>();

/**
 * The credential where the provider wants it, wherever the caller had put the user JWT. `carrier` is the one exception:
 * a header field of the provider's own that takes the bare credential, for an API that reads no other place.
 * Undefined where the credential lacks a value, or cannot be sent.
 */
export function callCredential(
  placement: CredentialPlacement,
  credential: Credential,
  carrier: string | undefined,
): PlacedCredential | undefined {
  if (carrier !== undefined) {
    const { values } = credential;
    return inCarrier(carrier, values.accessToken ?? values.apiKey ?? values.password);
  }
  const known = remembered.get(credential);
  if (known?.placement === placement) return known.placed;
  const placed = sendable(placeCredential(placement, credential.values));
  remembered.set(credential, { placement, placed });
  return placed;
}

function inCarrier(name: string, value: string | undefined): PlacedCredential | undefined {
  return value === undefined ? undefined : sendable({ in: 'header', name, value });
}

function sendable(placed: PlacedCredential | undefined): PlacedCredential | undefined {
  if (placed === undefined || placed.in === 'path' || placed.in === 'signature') return placed;
  return placed.value === '' || (placed.in === 'header' && UNSENDABLE.test(placed.value))
    ? undefined
    : placed;
}
