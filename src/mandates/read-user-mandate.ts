import { createHash } from 'node:crypto';
import { type MandateEntry, readMandateClaim } from './mandate.schema.ts';
import { compileMandate } from './mandate.ts';
import type { HourlyLimit, MandatePart, UserMandate } from './user-mandate.ts';

/** As much of SHA-256 as distinguishes mandates for readers. */
const DIGEST_LENGTH = 22;

/** What a token's claim `authorization_details` allows; undefined where it has no entries of ours. */
export function readUserMandate(
  claim: unknown,
  inherited: readonly (readonly HourlyLimit[])[] = [],
): UserMandate | undefined {
  const reading = readMandateClaim(claim);
  if (reading.kind === 'none') return undefined;
  if (reading.kind === 'malformed') return invalidMandate(reading.message);
  const part = createPart(digestOf(reading.entries), reading.entries, inherited);
  return { ids: [part.id], parts: [part] };
}

export function invalidMandate(message: string): UserMandate {
  return { ids: [], parts: [], refusal: { code: 'mandate_invalid', detail: `${message}.` } };
}

/** `inherited`: limits of each entry that come from tokens which this one was made of. */
export function createPart(
  id: string,
  entries: readonly MandateEntry[],
  inherited: readonly (readonly HourlyLimit[])[] = [],
  name?: string,
): MandatePart {
  const limits = entries.map((entry, index) => [...listLimits(entry), ...(inherited[index] ?? [])]);
  return { id, name, mandate: compileMandate(entries), entries, limits };
}

/** An entry's own limit, counted under what it says. */
export function listLimits(entry: MandateEntry): readonly HourlyLimit[] {
  return entry.perHour === undefined ? NO_LIMITS : [{ perHour: entry.perHour, key: digestOf(entry) }];
}

const NO_LIMITS: readonly HourlyLimit[] = [];

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, DIGEST_LENGTH);
}
