/** A person who is being erased, or who asks what is kept: an end user of one project. Or an organization, by the same. */
export type Person = {
  readonly projectId: string;
  readonly endUserId: string;
  /** The application's own id. Null once it has been erased: what is left is found by the ids. */
  readonly userId: string | null;
  /** The same of an organization. */
  readonly organization?: string | null | undefined;
};

/** What was erased of a person, by kind; of activity, how many entries have a pseudonym now. */
export const ERASED_KINDS = [
  'connections',
  'connectSessions',
  'events',
  'deliveries',
  'webhookReceipts',
  'calls',
  'pollRecords',
  'storedReplies',
  'activityEntries',
] as const;
export type ErasedKind = (typeof ERASED_KINDS)[number];
