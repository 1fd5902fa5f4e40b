import { z } from 'zod';
import type { GrantOutcome } from './erasure-outcomes.store.ts';

/** Why a grant was not revoked. */
const UNREVOKED_REASONS = [
  'nothing_to_revoke',
  'credentials_unreadable',
  'kept_for_another_connection',
  'refused',
  'failing',
  'waiting',
] as const;

const unrevokedSchema = z.object({
  integrationId: z.uuid(),
  serviceProvider: z.string(),
  reason: z.enum(UNREVOKED_REASONS).meta({
    description:
      '`nothing_to_revoke`: the provider takes no credentials of this kind back, such as API keys that users typed in: they are good until somebody withdraws them there. `credentials_unreadable`: no key of the gateway opens them. `kept_for_another_connection`: the provider would have ended a connection of another user. `failing`: the provider did not take it, and is asked again until `triedUntil`. `refused`: it did not for a day. `waiting`: it has not been asked yet.',
  }),
  errorCode: z.string().nullable().meta({ description: 'What came of the last request to the provider.' }),
  grants: z.number().int(),
  triedUntil: z.iso.datetime().nullable(),
});

/** What a report says of grants and their providers. */
export const grantOutcomesShape = {
  revoked: z.number().int().meta({ description: 'Grants that their providers took back.' }),
  unrevoked: z.array(unrevokedSchema),
};

export function toOutcomesWire(outcomes: readonly GrantOutcome[]) {
  const revoked = outcomes.filter(({ outcome }) => outcome === 'revoked');
  return {
    revoked: revoked.reduce((sum, { grants }) => sum + grants, 0),
    unrevoked: outcomes.flatMap(({ outcome, triedUntil, ...rest }) => {
      const reason = UNREVOKED_REASONS.find((name) => name === outcome);
      return reason === undefined ? [] : [{ ...rest, reason, triedUntil: triedUntil?.toISOString() ?? null }];
    }),
  };
}
