import { LRUCache } from 'lru-cache';
import type { Change } from '../../activity/actions.ts';
import type { RecordActivity } from '../../activity/record.ts';
import { maskToNetwork } from '../../http/client-address.ts';
import type { Principal } from '../../http/principal.ts';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import type { Db } from '../../platform/postgres/database.ts';

/** A key or token that was good, used from an address which it is not bound to. */
export type RefusedUse = {
  /** Of the key or token. */
  readonly id: string;
  readonly principal: Extract<Principal, { kind: 'api_key' | 'operator' }>;
  readonly address: string;
};

const KEYS_MAX = 10_000;
const PERIOD_MS = 60 * 60_000;
const NETWORKS_OF_KEY_MAX = 10;

type Noted = { readonly untilMs: number; readonly networks: Set<string> };

/**
 * Writes into the audit log that a key was used from elsewhere: once an hour for each network, and at most ten times an hour
 * for a key, since its holder decides how often it is tried. Never throws: the refusal stands whatever becomes of the record.
 */
export function createNoteRefusedAddress(deps: {
  readonly db: Db;
  readonly recordActivity: RecordActivity;
  readonly log: { warn(fields: object, message: string): void };
  now(): number;
}): (refused: RefusedUse) => Promise<void> {
  const noted = new LRUCache<string, Noted>(entriesUpTo(KEYS_MAX));

  function isWorthNoting({ id, address }: RefusedUse): boolean {
    const known = noted.get(id);
    const now = deps.now();
    const current =
      known && known.untilMs > now ? known : { untilMs: now + PERIOD_MS, networks: new Set<string>() };
    noted.set(id, current);
    const network = maskToNetwork(address);
    if (current.networks.has(network) || current.networks.size >= NETWORKS_OF_KEY_MAX) return false;
    current.networks.add(network);
    return true;
  }

  return async (refused) => {
    if (!isWorthNoting(refused)) return;
    try {
      await deps.db.transaction((trx) => deps.recordActivity(trx, describeRefusal(refused)));
    } catch (err) {
      deps.log.warn(
        { err, accessKeyId: refused.id },
        'a use from an address that is not allowed was not recorded',
      );
    }
  };
}

function describeRefusal({ id, principal, address }: RefusedUse): Change {
  const actor = { ...principal, sourceAddress: address };
  const shared = { actor, subjectId: id, details: {} };
  return principal.kind === 'api_key'
    ? { ...shared, projectId: principal.projectId, action: 'api_key.address_refused' }
    : { ...shared, projectId: null, action: 'personal_access_token.address_refused' };
}
