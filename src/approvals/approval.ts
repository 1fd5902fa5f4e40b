import type { MandateEntry } from '../mandates/mandate.schema.ts';

export const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'expired', 'used'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

export type Decision = 'approved' | 'rejected';

export const DECIDER_KINDS = ['operator', 'api_key', 'end_user'] as const;
export type DeciderKind = (typeof DECIDER_KINDS)[number];

/** A call that a person was asked about. What was asked is kept until it has been decided and sent, or has expired. */
export type Approval = {
  readonly id: string;
  readonly projectId: string;
  readonly endUserId: string;
  /** The application's own id of the user. */
  readonly userId: string;
  readonly integrationId: string;
  readonly connectionId: string;
  /** At the provider. */
  readonly accountName: string | null;
  readonly provider: string;
  readonly method: string;
  readonly mode: 'once' | 'each';
  readonly state: ApprovalState;
  /** Stands for the call, its asker and the entry of the mandate; nothing leads back to them without the gateway's key. */
  readonly callMark: string;
  readonly entryHash: Buffer;
  readonly callSealed: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly decidedAt: Date | null;
  readonly decidedBy: { readonly kind: DeciderKind; readonly id: string } | null;
  readonly endedAt: Date | null;
};

/** A link of the chain of those who act for the user (RFC 8693 section 4.1), the one that calls first. */
export type Actor = { readonly id: string; readonly name: string | null };

/** Who asks, as the signed token says, and what the program says of itself. */
export type Asker = {
  readonly jti: string | null;
  /** `client_id` or `azp`. */
  readonly client: string | null;
  readonly actors: readonly Actor[];
  /** What a program at the door for agents calls itself: its own word, which nothing vouches for. */
  readonly declaredClient: string | null;
};

/** What is asked, but for the body. */
export type StoredCall = {
  /** SHA-256 of all that has to be the same when the call is repeated. */
  readonly digest: string;
  readonly host: string | null;
  readonly path: string;
  readonly query: string;
  /** Names and values in turn. */
  readonly fields: readonly string[];
  readonly bodyBytes: number;
  readonly bodySha256: string;
  readonly asker: Asker;
  /** Which the asker belonged to, by the application's own id; null: none. The connection may be its. */
  readonly organization: string | null;
  /** The entry of the mandate that asks for the approval. */
  readonly entry: MandateEntry | null;
};
