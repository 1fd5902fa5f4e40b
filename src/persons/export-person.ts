import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { type EventRow, headOfRow, openEvents } from '../events/stream/sealed-events.ts';
import type { WriteStream } from '../http/idempotency.ts';
import { parseExactJson } from '../lib/exact-json.ts';
import type { DataKeys } from '../platform/data-keys.ts';
import type { Db } from '../platform/postgres/database.ts';
import { withoutStoreLimit } from '../platform/postgres/store-time.ts';
import type { ExportPlaces } from '../projects/export-places.ts';
import {
  type ExportedPerson,
  type ExportPage,
  listFormerConnections,
  readConnectSessions,
  readEventRange,
  readPollRecords,
  readRange,
} from './export.store.ts';
import { type ReceiptTools, readReceipts } from './export-receipts.store.ts';
import type { Person } from './person.ts';

const CONNECTIONS_AT_ONCE = 200;
/** A reader that takes nothing for so long is cut off. */
const DRAIN_MS = 60_000;
const EVENTS_AT_ONCE = 50;

type Line = { readonly kind: string } & Readonly<Record<string, unknown>>;

export type ExportDependencies = ReceiptTools & {
  readonly db: Db;
  readonly dataKeys: DataKeys;
  readonly connections: Pick<ConnectionsStore, 'listToErase'>;
  readonly places: ExportPlaces;
  /** A connection as the API shows it: without secrets. */
  connectionWire(connection: Connection): Promise<object>;
};

/** Writes everything about a person as JSON lines, a page at a time, as fast as the caller reads. No secret is in it. */
export function createExportPerson(deps: ExportDependencies) {
  return (caller: string, person: Person, head: Line): WriteStream => {
    const end = deps.places.begin(caller);
    const readInTurn = <Page>(read: () => Promise<Page>) => deps.places.read(caller, read);
    return (response, signal) =>
      withoutStoreLimit(() =>
        write(response, signal, listLines(deps, person, head, readInTurn)).finally(end),
      );
  };
}

async function write(
  response: ServerResponse,
  signal: AbortSignal,
  pages: AsyncIterable<readonly Line[]>,
): Promise<void> {
  for await (const lines of pages) {
    if (signal.aborted) break;
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    if (text !== '' && !response.write(text))
      await once(response, 'drain', { signal: AbortSignal.any([signal, AbortSignal.timeout(DRAIN_MS)]) });
  }
  response.end();
}

type InTurn = <Page>(read: () => Promise<Page>) => Promise<Page>;

async function* listLines(
  deps: ExportDependencies,
  found: Person,
  head: Line,
  inTurn: InTurn,
): AsyncGenerator<readonly Line[]> {
  const { db } = deps;
  yield [head];
  const connectionIds = await inTurn(() => listFormerConnections(db, found));
  const person: ExportedPerson = { ...found, connectionIds };
  yield* listConnections(deps, person, inTurn);
  yield (await inTurn(() => readConnectSessions(db, person))).map(lineOf('connect_session'));
  yield* listPages('poll_record', inTurn, (after) => readPollRecords(db, person, after));
  yield* listEvents(deps, person, inTurn);
  yield* listPages('delivery', inTurn, (after) => readRange(db, 'deliveries', person, after));
  yield* listPages('webhook_receipt', inTurn, (after) => readReceipts(deps, db, person, after));
  yield* listPages('agent_consent', inTurn, (after) => readRange(db, 'agent_consents', person, after));
  yield* listPages('organization_client', inTurn, (after) =>
    readRange(db, 'organization_clients', person, after),
  );
  yield* listPages('approval', inTurn, (after) => readRange(db, 'approvals', person, after));
  yield* listPages('call', inTurn, (after) => readRange(db, 'recent_calls', person, after));
  yield* listPages('activity', inTurn, (after) => readRange(db, 'activity', person, after));
  yield [{ kind: 'end' }];
}

const lineOf =
  (kind: string) =>
  (row: object): Line => ({ kind, ...row });

async function* listPages(
  kind: string,
  inTurn: InTurn,
  read: (after: string | undefined) => Promise<ExportPage<object>>,
): AsyncGenerator<readonly Line[]> {
  let after: string | undefined;
  do {
    const { rows, next } = await inTurn(() => read(after));
    yield rows.map(lineOf(kind));
    after = next ?? undefined;
  } while (after !== undefined);
}

async function* listConnections(
  { db, connections, connectionWire }: ExportDependencies,
  { projectId, endUserId }: Person,
  inTurn: InTurn,
): AsyncGenerator<readonly Line[]> {
  let afterId: string | undefined;
  do {
    const page = await inTurn(() =>
      connections.listToErase(db, {
        projectId,
        endUserId,
        limit: CONNECTIONS_AT_ONCE,
        ...(afterId !== undefined && { afterId }),
      }),
    );
    yield (await Promise.all(page.map(connectionWire))).map(lineOf('connection'));
    afterId = page.length < CONNECTIONS_AT_ONCE ? undefined : page.at(-1)?.id;
  } while (afterId !== undefined);
}

/** Payloads are opened some at a time: they may be large. */
async function* listEvents(
  { db, dataKeys }: ExportDependencies,
  person: ExportedPerson,
  inTurn: InTurn,
): AsyncGenerator<readonly Line[]> {
  let after: string | undefined;
  do {
    const page = await inTurn(() => readEventRange<EventRow>(db, person, after));
    for (let from = 0; from < page.rows.length; from += EVENTS_AT_ONCE) {
      const rows = page.rows.slice(from, from + EVENTS_AT_ONCE);
      const texts = await openEvents(db, dataKeys, rows);
      yield rows.map((row, index) => {
        const text = texts[index];
        return { kind: 'event', ...headOfRow(row), data: text === undefined ? null : parseExactJson(text) };
      });
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
}
