import type { SecretRecord } from '../integrations/secrets/secret-records.store.ts';
import { createFinding, type Finding } from './finding.ts';

/** How long before its noted end a secret is reported. */
export const SECRET_WARNED_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Findings of the ends that operators noted for client secrets. One that the provider has accepted since has another end
 * than noted. Pure.
 */
export function judgeSecrets(
  secrets: readonly SecretRecord[],
  { provider, nowMs }: { readonly provider: string; readonly nowMs: number },
): Finding[] {
  return secrets.flatMap(({ kind, age, expiresAt, lastWorkedAt }) => {
    if (kind !== 'client' || age !== 'newer' || expiresAt === null) return [];
    const at = expiresAt.toISOString();
    const evidence = [{ label: 'Noted end', value: at, at }];
    if (expiresAt.getTime() > nowMs + SECRET_WARNED_MS) return [];
    if (expiresAt.getTime() > nowMs) {
      return [createFinding('client_secret_expires_soon', { provider, expiresAt: at }, { evidence })];
    }
    const hasWorkedSince = lastWorkedAt !== null && lastWorkedAt > expiresAt;
    const severity = hasWorkedSince ? 'warning' : 'error';
    return [createFinding('client_secret_expired', { provider }, { evidence, severity })];
  });
}
