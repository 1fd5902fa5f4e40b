import { createHash } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';

/** The code of the error for a certificate and key that no handshake can be made with. */
export const CLIENT_CERTIFICATE_UNUSABLE = 'ERR_CLIENT_CERTIFICATE_UNUSABLE';

/** PEM, the client's own certificate before those of its authorities. */
type CertificatePem = {
  readonly certificate: string;
  readonly privateKey: string;
  readonly passphrase?: string | undefined;
};

/**
 * What a client shows of itself in a TLS handshake (RFC 8446 section 4.4.2). The key is held where neither a log nor a
 * JSON text finds it.
 */
export class ClientCertificate {
  /** SHA-256 over chain, key and passphrase: connections are shared by those who have the same, and no others. */
  readonly fingerprint: string;
  readonly #pem: CertificatePem;

  constructor(pem: CertificatePem) {
    this.#pem = pem;
    const parts = [pem.certificate, pem.privateKey, pem.passphrase ?? ''];
    this.fingerprint = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  }

  /** For what is kept sealed, such as a request that is sent later. */
  reveal(): CertificatePem {
    return this.#pem;
  }

  /**
   * What connections of this client are made with. `ca`: further authorities of servers; left out, Node's own list. Takes
   * about a millisecond. Throws `ERR_CLIENT_CERTIFICATE_UNUSABLE`, without the words of OpenSSL.
   */
  openContext(ca?: string | readonly string[]): SecureContext {
    const { certificate, privateKey, passphrase } = this.#pem;
    try {
      return createSecureContext({
        cert: certificate,
        key: privateKey,
        ...(passphrase !== undefined && { passphrase }),
        ...(ca && { ca: [ca].flat() }),
      });
    } catch {
      throw unusableCertificateError();
    }
  }
}

function unusableCertificateError(): NodeJS.ErrnoException {
  const error = new Error('the client certificate and its private key cannot be used');
  return Object.assign(error, { code: CLIENT_CERTIFICATE_UNUSABLE });
}

/** The alerts that are about the client's certificate, by their numbers (RFC 8446 section 6). */
const ALERTS: Readonly<Record<string, string>> = {
  41: 'no_certificate',
  42: 'bad_certificate',
  43: 'unsupported_certificate',
  44: 'certificate_revoked',
  45: 'certificate_expired',
  46: 'certificate_unknown',
  48: 'unknown_ca',
  49: 'access_denied',
  116: 'certificate_required',
};
const ALERT_NAMES: ReadonlySet<string> = new Set(Object.values(ALERTS));

/**
 * The alert by which a server refuses the client's certificate, or wants one, in the words of RFC 8446:
 * `certificate_expired`. Undefined for every other error. With TLS 1.3 it arrives after the handshake, in place of an
 * answer; the server has read nothing of the request.
 */
export function findCertificateAlert(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  // Node names the alert in the code where it reads it, and in OpenSSL's sentence where a write finds it.
  const named = /^ERR_SSL_.*ALERT_([A-Z_]{4,40})$/.exec(error.code)?.[1]?.toLowerCase();
  if (named !== undefined) return ALERT_NAMES.has(named) ? named : undefined;
  const number = error.code === 'EPROTO' && /SSL alert number (\d{1,3})/.exec(error.message)?.[1];
  return number ? ALERTS[number] : undefined;
}
