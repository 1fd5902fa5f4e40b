import type { EventEmitter } from 'node:events';
import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { findCertificateAlert } from './client-certificate.ts';

/** Short, so that a certificate that was mended counts soon. */
const KEPT_MS = 3_000;
const ORIGINS_MAX = 1_000;

const TLS_FAILURE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO/;

/** True for what Node says when a TLS handshake fails or a certificate is not accepted. */
export function isTlsFailure(error: NodeJS.ErrnoException): boolean {
  return TLS_FAILURE.test(error.code ?? '');
}

export type HandshakeFailures = ReturnType<typeof createHandshakeFailures>;

/**
 * Remembers for a few seconds which origins' TLS handshakes failed. A handshake costs more of the processor than a whole
 * proxied call, and one that just failed fails again.
 */
export function createHandshakeFailures(now: () => number) {
  const failures = new LRUCache<string, { code: string; message: string; untilMs: number }>(
    entriesUpTo(ORIGINS_MAX),
  );

  /** Records a connection's error, if it is one of TLS. */
  function note(origin: string, error: NodeJS.ErrnoException): void {
    const { code = '', message } = error;
    if (isTlsFailure(error)) failures.set(origin, { code, message, untilMs: now() + KEPT_MS });
  }

  /** Records that the server refused the client's certificate, which it may do when this side has finished (TLS 1.3). */
  function watchConnected(origin: string, socket: EventEmitter): void {
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (findCertificateAlert(error) !== undefined) note(origin, error);
    });
  }

  return {
    /** The error of a handshake that failed just now, as a new one; undefined where it may be tried. */
    find(origin: string): NodeJS.ErrnoException | undefined {
      const failure = failures.get(origin);
      if (failure === undefined || failure.untilMs <= now()) return undefined;
      return Object.assign(new Error(failure.message), { code: failure.code });
    },
    note,
    /** Records such an error of a connection whose handshake is under way. */
    watch(origin: string, socket: EventEmitter): void {
      const onError = (error: NodeJS.ErrnoException) => note(origin, error);
      socket.once('error', onError).once('secureConnect', () => {
        socket.off('error', onError);
        watchConnected(origin, socket);
      });
    },
    watchConnected,
  };
}
