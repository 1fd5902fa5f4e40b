import type { Credential, ResolvedConnection } from '../../proxy/contract.ts';

/** How long after a refresh its notice may come. */
const LATE_MS = 5_000;

/** The notice that refreshes of one connection bring about: one, however many calls share them. */
export type OwnNotice = { running: number; versionBefore: number; hasCome: boolean; untilMs: number };

/** A connection in memory, as far as its notices go. */
type Noticed = {
  readonly resolved: ResolvedConnection;
  readonly credential: Credential;
  ownNotice: OwnNotice | undefined;
};

/**
 * A refresh changes the row, and its notice comes back to the process that has the new credential in memory. That one notice drops
 * nothing: the store may go away before the next call, which would find no connection then.
 */
export function createOwnNotices(deps: { now(): number; forget(connection: ResolvedConnection): void }) {
  function begin(warm: Noticed): void {
    const notice = warm.ownNotice;
    if (notice !== undefined && notice.running > 0) notice.running += 1;
    else
      warm.ownNotice = {
        running: 1,
        versionBefore: warm.credential.version,
        hasCome: false,
        untilMs: Number.POSITIVE_INFINITY,
      };
  }

  function end(warm: Noticed): void {
    const notice = warm.ownNotice;
    if (notice === undefined) return;
    notice.running -= 1;
    if (notice.running > 0) return;
    const isRenewed = warm.credential.version !== notice.versionBefore;
    if (isRenewed && !notice.hasCome) notice.untilMs = deps.now() + LATE_MS;
    else warm.ownNotice = undefined;
    // The notice was of another change.
    if (!isRenewed && notice.hasCome) deps.forget(warm.resolved);
  }

  return {
    /** Runs a refresh of `warm`, whose notice may come before its result. */
    async expectNotice<Result>(warm: Noticed, refresh: () => Promise<Result>): Promise<Result> {
      begin(warm);
      try {
        return await refresh();
      } finally {
        end(warm);
      }
    },
  };
}

/** Whether the notice that has come is that of the refresh. It comes once: any other one is news. */
export function takeOwnNotice({ ownNotice }: Noticed, nowMs: number): boolean {
  if (ownNotice === undefined || ownNotice.hasCome || nowMs >= ownNotice.untilMs) return false;
  ownNotice.hasCome = true;
  return true;
}
