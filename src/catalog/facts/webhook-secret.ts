import type { Provider } from '../schema/provider.schema.ts';

/**
 * What a webhook secret of the operator's is for: it signs webhooks, it is the verify token of a challenge alone, or
 * nothing asks for it, because the provider signs with the client's own values or with a public key.
 */
export const WEBHOOK_SECRET_USES = ['signature', 'verify_token', 'none'] as const;

export type WebhookSecretUse = (typeof WEBHOOK_SECRET_USES)[number];

/** `scheme`: the way of signing that an integration has chosen in the place of the usual one. Pure. */
export function findWebhookSecretUse(
  { webhooks }: Pick<Provider, 'webhooks'>,
  scheme?: string | undefined,
): WebhookSecretUse {
  const { supported, scope, signature, payload, secret, handshake = [] } = webhooks;
  if (!supported || !scope || !signature || !payload || !secret) return 'none';
  const isEntered = ENTERED.has(secret.from) && signature.scheme !== 'none';
  // What is signed in another way than the usual one may have a secret of its own: a site administrator's of Jira.
  if (isEntered || scheme !== undefined) return 'signature';
  return handshake.some(({ verifyToken }) => verifyToken !== undefined) ? 'verify_token' : 'none';
}

type Source = NonNullable<Provider['webhooks']['secret']>['from'];

/** A secret that a registration or a handshake brings may also be one that the operator knows. */
const ENTERED: ReadonlySet<Source> = new Set(['operator', 'gateway', 'registration', 'handshake']);

/** Whether webhooks are signed with the client's own values, so that a new client secret is a new signing secret. */
export function isSignedByClient(
  { webhooks }: Pick<Provider, 'webhooks'>,
  scheme?: string | undefined,
): boolean {
  return scheme === undefined && webhooks.secret?.from === 'client';
}
