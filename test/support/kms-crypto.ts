import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** One key of a service, which encrypts with AES-256-GCM and authenticates a context, as the real ones do. */
export function createServiceKey() {
  const key = randomBytes(32);
  return {
    encrypt(plaintext: Buffer, context: Buffer): Buffer {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(context);
      return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    },
    /** Undefined for what was not encrypted here with this context. */
    decrypt(ciphertext: Buffer, context: Buffer): Buffer | undefined {
      if (ciphertext.length < 28) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, ciphertext.subarray(0, 12), {
        authTagLength: 16,
      });
      decipher.setAAD(context).setAuthTag(ciphertext.subarray(-16));
      try {
        return Buffer.concat([decipher.update(ciphertext.subarray(12, -16)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}
