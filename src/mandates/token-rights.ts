import { z } from 'zod';
import { isRecord } from '../lib/is-record.ts';
import { cutText } from '../lib/storable-text.ts';
import { invalidMandate, readUserMandate } from './read-user-mandate.ts';
import type { Actor, HourlyLimit, UserMandate } from './user-mandate.ts';

export const ACTORS_MAX = 4;
const ACTOR_LENGTH_MAX = 255;

/** What a token says of what it may do, and for whom it acts. */
export type TokenRights = {
  /** Of the token's own entries. */
  readonly mandate: UserMandate | undefined;
  /** The id of a named mandate, which has to allow a call as well. */
  readonly mandateId: string | undefined;
  readonly actors: readonly Actor[];
  readonly exchange: ExchangeClaim | undefined;
};

/**
 * The claim of a token that was made of another one: what of that one still counts. `limits`: for each entry the hourly
 * limits that the other token's entries have, as keys and numbers.
 */
export const exchangeClaimSchema = z.strictObject({
  jtis: z.array(z.string().max(255)).max(8),
  iat: z.number(),
  keys: z.array(z.string().max(80)).max(8),
  limits: z.array(z.array(z.tuple([z.string().max(40), z.int().min(1)])).max(8)).max(32),
});

export type ExchangeClaim = z.output<typeof exchangeClaimSchema>;

/** Undefined where the token says nothing of the kind, as most do. */
export function readTokenRights(payload: Readonly<Record<string, unknown>>): TokenRights | undefined {
  const { authorization_details: details, gateway_mandate: id, act, gateway_exchange: exchange } = payload;
  if (details === undefined && id === undefined && act === undefined && exchange === undefined)
    return undefined;
  const actors = readActors(act);
  const claim = exchange === undefined ? undefined : exchangeClaimSchema.safeParse(exchange).data;
  const rights = { mandateId: undefined, actors: actors ?? [], exchange: claim };
  if (actors === undefined)
    return { ...rights, mandate: invalidMandate(`act names more than ${ACTORS_MAX} actors`) };
  if (exchange !== undefined && claim === undefined)
    return { ...rights, mandate: invalidMandate('gateway_exchange is malformed') };
  const isId = z.uuid().safeParse(id).success;
  if (id !== undefined && !isId)
    return { ...rights, mandate: invalidMandate('gateway_mandate is not the id of a mandate') };
  const limits = claim?.limits.map((list) => list.map(([key, perHour]): HourlyLimit => ({ key, perHour })));
  return {
    ...rights,
    mandateId: isId ? String(id).toLowerCase() : undefined,
    mandate: readUserMandate(details, limits),
  };
}

/** The chain of RFC 8693 section 4.1, the current actor first; undefined where it is too long. What names nobody ends it. */
function readActors(act: unknown): readonly Actor[] | undefined {
  const actors: Actor[] = [];
  let rest = act;
  while (isRecord(rest) && typeof rest.sub === 'string' && rest.sub !== '') {
    if (actors.length === ACTORS_MAX) return undefined;
    const { sub, name } = rest;
    actors.push({ id: cut(sub), ...(typeof name === 'string' && { name: cut(name) }) });
    rest = rest.act;
  }
  return actors;
}

function cut(text: string): string {
  return cutText(text.toWellFormed().replaceAll(/\p{Cc}/gu, ' '), ACTOR_LENGTH_MAX);
}

/** The claim `act` for a chain of actors. */
export function buildActClaim(actors: readonly Actor[]): object | undefined {
  return actors.reduceRight<object | undefined>(
    (act, { id, name }) => ({ sub: id, ...(name !== undefined && { name }), ...(act && { act }) }),
    undefined,
  );
}
