import type { IncomingMessage } from 'node:http';
import { hostCookie, hostCookieName, readCookie } from '../http/cookies.ts';
import { type Vault, VaultError } from '../platform/vault.ts';

const NAME = 'gateway_device';
const LIFETIME_SECONDS = 400 * 24 * 60 * 60;
const VALUE_LENGTH_MAX = 1_000;

export type KnownDevices = ReturnType<typeof createKnownDevices>;

/**
 * Cookies by which a browser shows that it has signed in to an account before. They open nothing: a guess from such a
 * browser is counted apart from the guesses of others. The vault seals the account's id, so that nothing is stored.
 */
export function createKnownDevices({ vault, publicUrl }: { vault: Vault; publicUrl: string }) {
  const contextOf = (operatorId: string) => ({
    table: 'operators',
    column: 'known_device',
    rowId: operatorId,
    projectId: '',
  });

  return {
    /** `Set-Cookie` for a browser that has just signed in. */
    cookie: (operatorId: string): string =>
      hostCookie(NAME, vault.seal(operatorId, contextOf(operatorId)), publicUrl, LIFETIME_SECONDS),

    isKnown(request: Pick<IncomingMessage, 'headers'>, operatorId: string | undefined): boolean {
      const value = readCookie(request, hostCookieName(NAME, publicUrl));
      if (value === undefined || value.length > VALUE_LENGTH_MAX || operatorId === undefined) return false;
      try {
        return vault.open(value, contextOf(operatorId)) === operatorId;
      } catch (error) {
        if (error instanceof VaultError) return false;
        throw error;
      }
    },
  };
}
