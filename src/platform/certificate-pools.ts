import type { SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { createHandshakeFailures, type HandshakeFailures } from './handshake-failures.ts';

/** Certificates with connections of their own at a time; beyond it, the one that was not used for longest loses them. */
const CERTIFICATES_MAX = 500;
/** Longer than idle connections live, so that what is let go holds none but busy ones. */
const IDLE_MS = 60_000;

type Entry<Pool> =
  | { readonly pool: Pool; lastUsedMs: number }
  | { readonly error: unknown; lastUsedMs: number };

type CertificatePools<Pool> = {
  /**
   * The pool of this certificate and of no other. Throws `ERR_CLIENT_CERTIFICATE_UNUSABLE`, the second time without
   * trying.
   */
  find(certificate: ClientCertificate): Pool;
  /** Closes every pool, busy connections too. */
  destroy(): void;
};

/**
 * A pool of connections for each client certificate. A server knows a connection, and a TLS session that is resumed, by
 * the certificate that it began with, so neither may be shared with who has another one. Pools are bounded in number, and
 * let go some time after their last use, as after a rotation.
 */
export function createCertificatePools<Pool>(options: {
  /** `failures` are those of this certificate: one that is refused says nothing of others. */
  open(context: SecureContext, failures: HandshakeFailures): Pool;
  /** Closes idle connections, and busy ones at the end of their request. */
  release(pool: Pool): void;
  destroy(pool: Pool): void;
  readonly ca?: string | readonly string[] | undefined;
  readonly certificatesMax?: number | undefined;
  readonly idleMs?: number | undefined;
  now(): number;
}): CertificatePools<Pool> {
  const { now, idleMs = IDLE_MS } = options;
  const entries = new LRUCache<string, Entry<Pool>>({
    ...entriesUpTo(options.certificatesMax ?? CERTIFICATES_MAX),
    dispose: (entry) => {
      if ('pool' in entry) options.release(entry.pool);
    },
  });
  let sweeper: NodeJS.Timeout | undefined;

  function sweep(): void {
    const idleSinceMs = now() - idleMs;
    for (const [fingerprint, { lastUsedMs }] of entries.entries()) {
      if (lastUsedMs <= idleSinceMs) entries.delete(fingerprint);
    }
    if (entries.size > 0) return;
    clearInterval(sweeper);
    sweeper = undefined;
  }

  function open(certificate: ClientCertificate): Entry<Pool> {
    try {
      const context = certificate.openContext(options.ca);
      return { pool: options.open(context, createHandshakeFailures(now)), lastUsedMs: now() };
    } catch (error) {
      return { error, lastUsedMs: now() };
    }
  }

  return {
    find(certificate) {
      let entry = entries.get(certificate.fingerprint);
      if (entry === undefined) {
        entry = open(certificate);
        entries.set(certificate.fingerprint, entry);
        sweeper ??= setInterval(sweep, idleMs).unref();
      }
      entry.lastUsedMs = now();
      if ('error' in entry) throw entry.error;
      return entry.pool;
    },
    destroy() {
      clearInterval(sweeper);
      for (const entry of entries.values()) if ('pool' in entry) options.destroy(entry.pool);
      entries.clear();
    },
  };
}
