/** What an event tells of the object that changed at the provider. */
export type EventObject = {
  /** In the singular, as the type of the event has it: `contact`. */
  readonly type: string;
  readonly id: string;
  readonly change: EventChange;
};

export const EVENT_CHANGES = ['created', 'updated', 'deleted', 'other'] as const;
export type EventChange = (typeof EVENT_CHANGES)[number];

export const EVENT_SOURCES = ['webhook', 'poll', 'gateway'] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];

/** An event that is about to enter the stream of a project. */
export type NewEvent = {
  /** A UUIDv7; a new one where left out. Its time is the event's `createdAt`. */
  readonly id?: string;
  /** `<provider>.<object>.<change>`, or one of the gateway's own types. */
  readonly type: string;
  readonly source: EventSource;
  readonly integrationId: string | null;
  readonly connectionId: string | null;
  /** Of the user or the organization that has the connection. */
  readonly integrationUserId: string | null;
  /** The application's own id of the end user. */
  readonly userId: string | null;
  /** The application's own id of the organization whose connection it is about. */
  readonly organization?: string | null | undefined;
  readonly object?: EventObject | undefined;
  /** JSON text: the provider's own payload. */
  readonly dataText: string;
};

/** The time in a UUIDv7, in milliseconds (RFC 9562 section 5.7). */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Before the first event of any project. */
export const BEFORE_ALL_EVENTS = '00000000-0000-0000-0000-000000000000';

export type EventHead = Omit<NewEvent, 'id' | 'dataText'> & {
  readonly id: string;
  readonly projectId: string;
  readonly createdAt: Date;
};

/**
 * The event as JSON text, as readers of the feed and destinations receive it. The payload goes in as it came, so that
 * no number in it changes.
 */
export function envelopeText(event: EventHead, dataText: string): string {
  const { id, type, createdAt, projectId, integrationId, connectionId, integrationUserId, userId } = event;
  const head = JSON.stringify({
    id,
    type,
    createdAt: createdAt.toISOString(),
    projectId,
    integrationId,
    connectionId,
    integrationUserId,
    userId,
    owner: ownerOf(event),
    source: event.source,
    ...(event.object !== undefined && { object: event.object }),
  });
  return `${head.slice(0, -1)},"data":${dataText}}`;
}

/** Whose connection an event is about; null: it is about none. */
function ownerOf({ organization = null, userId, connectionId }: EventHead) {
  if (organization !== null) return { type: 'organization', id: organization };
  return connectionId === null || userId === null ? null : { type: 'user', id: userId };
}

/** What types of the gateway's own begin with that have an entry of the audit log. */
export const AUDIT_PREFIX = 'activity.';

/** Whether a type, or a pattern of some, is of the audit log. */
export function isAuditType(type: string): boolean {
  return type.startsWith(AUDIT_PREFIX);
}

/**
 * Whether one of `wanted` names the type: exactly, by its beginning (`hubspot.*`, `hubspot.contact.*`), or `*`. That
 * one leaves out the audit log, whose events come only to who asks for them.
 */
export function matchesTypes(type: string, wanted: readonly string[]): boolean {
  return wanted.some((pattern) => {
    if (pattern === '*') return !isAuditType(type);
    return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
  });
}

/** A type, or the beginning of some with `.*` behind it. */
export const TYPE_PATTERN = /^(?:\*|[a-z0-9][a-z0-9_:-]{0,99}(?:\.[a-z0-9_-]{1,100}){0,5}(?:\.\*)?)$/;
