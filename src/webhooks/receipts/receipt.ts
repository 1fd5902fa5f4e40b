import { newId } from '../../lib/ids.ts';

export const RECEIPT_STATES = ['accepted', 'unmatched', 'rejected', 'duplicate'] as const;
export type ReceiptState = (typeof RECEIPT_STATES)[number];

/** Field values by lower-case name, without credentials. */
export type KeptHeaders = Readonly<Record<string, readonly string[]>>;

/** A request of a provider as it is stored, but for its body. */
export type Receipt = Readonly<{
  id: string;
  createdAt: Date;
  projectId: string;
  integrationId: string;
  /** Of a webhook that came to the address of one connection. */
  connectionId: string | null;
  state: ReceiptState;
  /** Why it was rejected. */
  reason: string | null;
  method: string;
  query: string;
  headers: KeptHeaders;
  bodyBytes: number;
  isBodyCut: boolean;
  /** Null until its events have been extracted. */
  events: number | null;
  matched: number;
  unmatched: number;
  duplicates: number;
  splitAt: Date | null;
}>;

/** A receipt that is about to be stored. */
export type NewReceipt = Pick<
  Receipt,
  'projectId' | 'integrationId' | 'connectionId' | 'state' | 'reason' | 'method' | 'query' | 'headers'
> & {
  readonly body: Buffer;
  /** Of the whole body, where `body` is only its beginning. */
  readonly bodyBytes: number;
};

/** What an insert needs besides: an id, whose time is the receipt's. */
export type IdentifiedReceipt = NewReceipt & { readonly id: string };

export function identifyReceipt(receipt: NewReceipt): IdentifiedReceipt {
  return { ...receipt, id: newId() };
}
