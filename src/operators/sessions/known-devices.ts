import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Vault } from '../../platform/vault.ts';
import { createSealedCookie } from './sealed-cookies.ts';

/** As long as browsers keep a cookie at most (RFC 6265bis section 5.5). */
const LIFETIME_SECONDS = 400 * 24 * 60 * 60;

export type KnownDevices = ReturnType<typeof createKnownDevices>;

/**
 * Cookies by which a browser shows that it has signed in to an account before. They open nothing: a guess from such a
 * browser is counted apart from the guesses of others. The vault seals the account's id, so that nothing is stored.
 */
export function createKnownDevices(deps: { vault: Vault; publicUrl: string; now(): number }) {
  const known = createSealedCookie({
    ...deps,
    name: 'gateway_device',
    schema: z.literal('known'),
    lifetimeSeconds: LIFETIME_SECONDS,
  });

  return {
    /** `Set-Cookie` for a browser that has just signed in. */
    cookie: (operatorId: string): string => known.make('known', operatorId),

    isKnown(request: Pick<IncomingMessage, 'headers'>, operatorId: string | undefined): boolean {
      return operatorId !== undefined && known.read(request, operatorId) !== undefined;
    },
  };
}
