import { z } from 'zod';

/** One variable, whose value is pasted as it is. */
const placeholder = z
  .string()
  .regex(/^\{[A-Za-z][A-Za-z0-9_.]{0,60}\}$/, 'must be one placeholder, like {certificate}');

export const CERTIFICATE_PLACES = ['token', 'api'] as const;

/** What a provider file says of mutual TLS. */
export const certificateFields = {
  /**
   * The certificate that the gateway shows in TLS handshakes (RFC 8446 section 4.4.2): where tokens are obtained, renewed
   * and revoked (`token`; RFC 8705), at the API and its further hosts (`api`), or both. The variables are pasted files,
   * given by the operator or by each user; where they are optional and left out, no certificate is shown.
   */
  clientCertificate: z
    .strictObject({
      at: z
        .array(z.enum(CERTIFICATE_PLACES))
        .min(1)
        .refine((places) => new Set(places).size === places.length, 'names a place twice')
        .default([...CERTIFICATE_PLACES]),
      certificate: placeholder,
      privateKey: placeholder,
      /** Opens the key where it is encrypted. */
      passphrase: placeholder.optional(),
    })
    .optional(),
};
