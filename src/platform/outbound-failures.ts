import { FORBIDDEN_ADDRESS } from './address-guard.ts';
import { findCertificateAlert } from './client-certificate.ts';
import { isTlsFailure } from './handshake-failures.ts';

/** What ends an exchange other than its answer or its time. */
export type FailureKind =
  | 'network'
  | 'tls'
  | 'certificate_refused'
  | 'too_large'
  | 'aborted'
  | 'refused_address';

export function classifyFailure(error: Error): Exclude<FailureKind, 'too_large' | 'aborted'> {
  const code = readFailureCode(error);
  if (code === FORBIDDEN_ADDRESS) return 'refused_address';
  if (findCertificateAlert(error) !== undefined) return 'certificate_refused';
  return isTlsFailure(error) ? 'tls' : 'network';
}

/** The code alone: messages of Node's name addresses, and those of the parser quote what was received. */
export function readFailureCode(error: Error): string {
  const alert = findCertificateAlert(error);
  if (alert !== undefined) return `ALERT_${alert.toUpperCase()}`;
  return 'code' in error && typeof error.code === 'string' ? error.code : 'connection failed';
}

/** The reason of a failure where it is a code, and no words. */
export function parseFailureCode(reason: string): string | undefined {
  return /^[A-Z][A-Z0-9_]{2,60}$/.test(reason) ? reason : undefined;
}

/** The alert in the code of a `certificate_refused`, in the words of RFC 8446: `certificate_expired`. */
export function readAlert(code: string): string {
  return code.replace(/^ALERT_/, '').toLowerCase();
}
