import { type Chore, HOURLY } from '../../platform/chores.ts';
import type { Log } from '../../platform/logger.ts';
import { type Outbound, OutboundError } from '../../platform/outbound.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import type { DocumentsStore } from './documents.store.ts';
import { readDocument } from './read-document.ts';

const DOCUMENT_BYTES_MAX = 32 * 1024 * 1024;
/** For a document with all its redirects. */
const FETCH_MS_MAX = 60_000;
/** So that one address that does not answer leaves the others a way. */
const AT_ONCE = 2;
const REDIRECTS_MAX = 3;
const DAY_SECONDS = 86_400;
/** Vendors change their documents every few days. */
const AGAIN_SECONDS = 7 * DAY_SECONDS;
const AFTER_FAILURE_SECONDS = 3_600;
const AFTER_FAILURES_SECONDS = DAY_SECONDS;
const UNWANTED_DAYS = 30;
const CHORE_MS = 60_000;

function isOver(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Keeps the documents that are wanted: fetches them in the background, few at a time, and again each week. */
export function createDocuments(deps: {
  readonly store: DocumentsStore;
  readonly outbound: Pick<Outbound, 'request'>;
  readonly log: Pick<Log, 'warn'>;
}) {
  const { store, outbound, log } = deps;
  const workers = new Set<Promise<void>>();

  async function fetchText(url: string, signal?: AbortSignal): Promise<string> {
    let address = url;
    const untilMs = performance.now() + FETCH_MS_MAX;
    for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
      const { status, headers, body } = await outbound.request({
        url: address,
        headers: { Accept: 'application/json, application/yaml;q=0.9, */*;q=0.5' },
        timeoutMs: Math.max(1, Math.round(untilMs - performance.now())),
        responseBytesMax: DOCUMENT_BYTES_MAX,
        ...(signal && { signal }),
      });
      if (status === 200) return body.toString('utf8');
      if (status < 301 || status > 308 || headers.location === undefined)
        throw new Error(`answered ${status}`);
      address = new URL(headers.location, address).href;
    }
    throw new Error('redirected too often');
  }

  async function fetchDue(signal?: AbortSignal): Promise<void> {
    for (
      let due = await store.claimDue();
      due !== undefined && !isOver(signal);
      due = await store.claimDue()
    ) {
      try {
        await store.replace(due.id, await readDocument(await fetchText(due.url, signal)), AGAIN_SECONDS);
      } catch (error) {
        if (isOver(signal)) return;
        const reason = error instanceof OutboundError ? error.kind : 'unreadable';
        const pauseSeconds = due.hasFailed ? AFTER_FAILURES_SECONDS : AFTER_FAILURE_SECONDS;
        await store.noteFailure(due.id, reason, pauseSeconds);
        log.warn({ document: new URL(due.url).host, reason }, 'an API document could not be taken');
      }
    }
  }

  /** Of many calls at once few fetch; the others wait for the same. */
  async function run(signal?: AbortSignal): Promise<void> {
    while (workers.size < AT_ONCE) {
      const worker = fetchDue(signal).finally(() => workers.delete(worker));
      workers.add(worker);
    }
    await Promise.all(workers);
  }

  return {
    /** Notes that they are wanted, and begins to fetch those that are new. */
    async want(urls: readonly string[]) {
      const known = await store.want(urls);
      if (known.some(({ hasOperations }) => !hasOperations))
        withoutStoreLimit(run).catch((error: unknown) =>
          log.warn({ err: error }, 'API documents could not be fetched'),
        );
      return known;
    },
    search: store.search,
    rank: store.rank,
    describe: store.describe,
    chores: [
      { name: 'API documents', intervalMs: CHORE_MS, run },
      { name: 'API documents that are not wanted', ...HOURLY, run: () => store.purgeUnwanted(UNWANTED_DAYS) },
    ] satisfies Chore[],
  };
}

export type Documents = ReturnType<typeof createDocuments>;
