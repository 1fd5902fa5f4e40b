import { certificateEnd } from '../catalog/facts/client-certificate.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { createFinding, type Finding } from './finding.ts';

const WARNED_MS = 30 * 24 * 60 * 60 * 1_000;

/** Findings of the end of an integration's client certificate. Pure. */
export function judgeCertificate(
  provider: Provider,
  values: Readonly<Record<string, string>>,
  nowMs: number,
): Finding[] {
  const end = certificateEnd(provider, values);
  if (end === undefined || end.getTime() > nowMs + WARNED_MS) return [];
  const expiresAt = end.toISOString();
  const code = end.getTime() <= nowMs ? 'client_certificate_expired' : 'client_certificate_expires_soon';
  const evidence = [{ label: 'End of the certificate', value: expiresAt, at: expiresAt }];
  return [createFinding(code, { provider: provider.name, expiresAt }, { evidence })];
}
