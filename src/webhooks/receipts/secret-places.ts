import { splitPlace } from '../message/read-message.ts';
import type { WebhookDescription } from '../message/webhook.ts';

type Described = Pick<WebhookDescription, 'signature' | 'handshake'>;

/** Schemes that put the secret itself, or a token that can be used again, into the webhook. */
const PLAIN_SCHEMES: ReadonlySet<string> = new Set(['token', 'basic', 'jwt']);

export type SecretPlace = {
  readonly kind: string;
  readonly name: string;
  /** What stands there is a secret as such, not what was computed with one. */
  readonly isPlain: boolean;
};

/** Every place of a webhook or a handshake where the description has the provider put a secret or a signature. */
export function listSecretPlaces({ signature, handshake = [] }: Described): SecretPlace[] {
  const signed = [
    ...('at' in signature && signature.at !== 'body' ? [signature.at] : []),
    ...('alsoAt' in signature ? (signature.alsoAt ?? []) : []),
  ];
  const brought = handshake.flatMap(({ keepSecret, verifyToken }) =>
    [keepSecret ?? [], verifyToken ?? []].flat(),
  );
  const isPlain = PLAIN_SCHEMES.has(signature.scheme);
  return [
    ...signed.map((place) => ({ ...splitPlace(place), isPlain })),
    ...brought.map((place) => ({ ...splitPlace(place), isPlain: true })),
  ];
}
