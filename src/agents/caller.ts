import type { VerifiedUser } from '../proxy/contract.ts';

/** Who speaks at the door: the user whom the token names, and the client as far as it tells. */
export type Caller = {
  readonly user: VerifiedUser;
  /** As the client brought it; it is sent nowhere. */
  readonly token: string;
  readonly traceparent: string | undefined;
  readonly abilities: ClientAbilities;
  /** What the client calls itself. */
  readonly client: string | undefined;
};

/** What the client says that it can do when its user has to be asked. */
export type ClientAbilities = {
  /** It opens an address for its user (elicitation, mode `url`). */
  readonly opensUrls: boolean;
  /** It has forms for its user (elicitation, mode `form`). */
  readonly fillsForms: boolean;
  /** It shows cards of servers (MCP Apps). */
  readonly showsCards: boolean;
};
