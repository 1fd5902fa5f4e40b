import { readMandateClaim } from './mandate.schema.ts';
import { compileMandate, type UserMandate } from './mandate.ts';

/** What a token's claim `authorization_details` allows; undefined where it has no entries of ours. */
export function readUserMandate(claim: unknown): UserMandate | undefined {
  const reading = readMandateClaim(claim);
  if (reading.kind === 'none') return undefined;
  if (reading.kind === 'malformed') return { fault: reading.message };
  return {
    fault: undefined,
    mandate: compileMandate(reading.entries),
    limits: reading.entries.map((entry) => ({ perHour: entry.perHour, key: JSON.stringify(entry) })),
  };
}
