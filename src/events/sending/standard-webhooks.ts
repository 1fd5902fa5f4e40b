import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new signing secret as Standard Webhooks writes it: `whsec_` and the key in base64. */
export function createSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

export type SignedMessage = {
  /** The same in every attempt. */
  readonly id: string;
  readonly sentAtMs: number;
  readonly body: string | Buffer;
  /** The newest first; more than one while a secret is being rotated. */
  readonly secrets: readonly string[];
};

/** The header fields of Standard Webhooks 1.0 (standardwebhooks.com): id, time of the attempt, a signature per secret. */
export function signatureFields({ id, sentAtMs, body, secrets }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(sentAtMs / 1000));
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
  };
}
