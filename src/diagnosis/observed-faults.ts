import pLimit from 'p-limit';
import type { TokenRefusal } from '../http/token-refusal.ts';
import { isUuid } from '../lib/ids.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { FaultKind, NoticedFaultsStore } from './observed-faults.store.ts';

const FLUSH_MS = 5_000;
/** Different ones between two writes; more are dropped. */
const HELD_MAX = 500;
const VALUE_LENGTH_MAX = 300;

/**
 * Remembers what was refused in passing (pages of origins that are not allowed, return URLs that are not registered,
 * hosts that are not PUBLIC_URL's, user tokens) and writes it down every few seconds, for the diagnosis of any process to find.
 */
export function createNoticedFaults({ store }: { store: NoticedFaultsStore }) {
  let held = new Map<string, { kind: FaultKind; projectId: string | null; value: string; count: number }>();
  /** Who reads after a flush finds what another one was still writing, too. */
  const oneAtATime = pLimit(1);
  const flush = () => oneAtATime(write);

  async function write(): Promise<void> {
    const faults = [...held.values()];
    if (faults.length === 0) return;
    held = new Map();
    await store.keep(faults);
  }

  function note(kind: FaultKind, projectId: string | null, value: string): void {
    if (value.length > VALUE_LENGTH_MAX) return;
    const key = `${kind} ${projectId} ${value}`;
    const known = held.get(key);
    if (known !== undefined) known.count += 1;
    else if (held.size < HELD_MAX) held.set(key, { kind, projectId, value, count: 1 });
  }

  return {
    noteOrigin(projectId: string | undefined, origin: string): void {
      const url = URL.parse(origin);
      // A path may name anything in the place of a project.
      if (projectId !== undefined && !isUuid(projectId)) return;
      if (url !== null && /^https?:$/.test(url.protocol) && url.origin === origin) {
        note('origin', projectId?.toLowerCase() ?? null, origin);
      }
    },
    /** Without its query, which may hold a user's private values. */
    noteReturnUrl(projectId: string, returnUrl: string): void {
      const url = URL.parse(returnUrl);
      if (url !== null && /^https?:$/.test(url.protocol)) {
        note('return_url', projectId, `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`);
      }
    },
    /** The reason alone, and whether one of the project's keys signed the token. */
    noteRefusedToken(projectId: string, { fault, isSigned }: TokenRefusal): void {
      note('token', projectId, isSigned ? `${fault} signed` : fault);
    },
    noteHost(host: string): void {
      if (/^[a-z0-9.:[\]_-]+$/i.test(host)) note('host', null, host);
    },
    flush,
    chores: [
      { name: 'noticed faults', intervalMs: FLUSH_MS, runsAtStop: true, run: flush },
      { name: 'old noticed faults', ...HOURLY, run: () => store.purgeOfAnyProject() },
    ] satisfies Chore[],
  };
}
