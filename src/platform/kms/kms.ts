/** Where a wrapped key belongs. The service refuses to unwrap it anywhere else, so that a copied one is worthless. */
export type KeyContext = {
  /** Of the installation: ENCRYPTION_KMS_CONTEXT, or an id that its store has made. */
  readonly deployment: string;
  /** As envelopes name the key. */
  readonly keyId: string;
};

/** A key in a key management service, which wraps the gateway's key-encryption keys. Both reject with KmsError. */
export type Kms = {
  /** A text that only this service can turn back into the 32 bytes of `key`. */
  wrap(key: Buffer, context: KeyContext): Promise<string>;
  unwrap(wrapped: string, context: KeyContext): Promise<Buffer>;
};

/** A service that gives no key. The message names the service and its code, and holds nothing of what was sent or came. */
export class KmsError extends Error {
  override readonly name = 'KmsError';
  /** The service may be well soon: it is unreachable, busy, or an error of its own. */
  readonly isTransient: boolean;

  constructor(message: string, { isTransient }: { readonly isTransient: boolean }) {
    super(message);
    this.isTransient = isTransient;
  }
}

/** As the services authenticate it, in a fixed order. */
export function describeContext({ deployment, keyId }: KeyContext): Readonly<Record<string, string>> {
  return { application: 'integration-gateway', deployment, key: keyId };
}

/** The same as bytes, for services that take bytes. */
export function contextBytes(context: KeyContext): Buffer {
  return Buffer.from(JSON.stringify(describeContext(context)), 'utf8');
}

const KEY_BYTES = 32;

/** The bytes of a key out of the base64 or base64url of an answer. Throws KmsError where they are none. */
export function keyFromBase64(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new KmsError('what was unwrapped is no key', { isTransient: false });
}
