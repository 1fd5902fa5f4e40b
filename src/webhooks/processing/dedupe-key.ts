import { createHash } from 'node:crypto';

/** `dedupe` of an entry whose provider sends nothing by which a repetition differs from a second change. */
const DEDUPE_NONE = 'none';

const LENGTH_MAX = 200;

export type ReadEvent = {
  /** What the entry's `dedupe` fills to; `none` where it declares that there is nothing. */
  readonly declared: string | null;
  readonly eventId: string | null;
  readonly accountId: string | null;
  readonly providerType: string;
  readonly objectId: string | null;
  readonly occurredAt: string | null;
  /** The provider's bytes of the event. */
  readonly source: string;
};

/**
 * What the repetitions of one event have in common, within its account since providers number events for each: the declared
 * key, the provider's id of the event, or its bytes where these name an object and a time. Null where the
 * provider sends none of them: the same bytes may then report a second change, so the event is never a repetition.
 */
export function chooseDedupeKey(event: ReadEvent): string | null {
  const { declared, eventId, accountId, objectId, occurredAt } = event;
  if (declared === DEDUPE_NONE) return null;
  const id = declared ?? eventId;
  if (id !== null) return shorten(`${accountId ?? ''}:${id}`);
  if (objectId === null || occurredAt === null) return null;
  return hash(JSON.stringify([accountId, event.providerType, objectId, occurredAt, event.source]));
}

function shorten(key: string): string {
  return key.length <= LENGTH_MAX ? key : hash(key);
}

function hash(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('base64url')}`;
}
