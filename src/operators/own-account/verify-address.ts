import type { Actor } from '../../activity/actions.ts';
import type { RecordActivity } from '../../activity/record.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { createIdentitiesStore } from '../accounts/identities.store.ts';
import { createOperatorsStore } from '../accounts/operators.store.ts';
import { createPersonalAccessTokensStore } from '../personal-access-tokens/personal-access-tokens.store.ts';
import { createOtpStore } from '../second-factor/otp.store.ts';
import { createSessionsStore } from '../sessions/sessions.store.ts';

/** How it became known that the address is the operator's own. */
type AddressProof = 'password_reset' | 'invitation' | 'single_sign_on' | 'operator_command';

export type VerifyAddressDependencies = {
  db: Db;
  recordActivity: RecordActivity;
  /** Withdraws the open invitations that the operator has made, and those of the operator's address. */
  endInvitations(trx: Db, operator: { id: string; email: string }, actor: Actor): Promise<void>;
};

export type VerifyAddress = ReturnType<typeof createVerifyAddress>;

/**
 * When an address becomes verified. Until then the account may have been made by a person who only
 * guessed the address, so that whatever was made before ends: password, sessions, tokens, second factor, accounts at
 * the identity provider, links and invitations (decision 0034). Memberships stay: each was accepted with a link.
 */
export function createVerifyAddress({ db, recordActivity, endInvitations }: VerifyAddressDependencies) {
  const operators = createOperatorsStore();
  const sessions = createSessionsStore({ db });
  const tokens = createPersonalAccessTokensStore({ db });
  const otps = createOtpStore();
  const identities = createIdentitiesStore();

  /**
   * Notes the proof and ends what was before; `passwordHash` is the account's from now on, null for none. False where the
   * address was verified already: then nothing changes.
   */
  return async (
    trx: Db,
    operatorId: string,
    proof: { readonly by: AddressProof; readonly actor: Actor; readonly passwordHash: string | null },
  ): Promise<boolean> => {
    const account = await operators.lock(trx, operatorId);
    if (account === undefined || account.isEmailVerified) return false;
    await operators.setPassword(trx, account, proof.passwordHash);
    await operators.markEmailVerified(trx, operatorId);
    await sessions.removeAll(trx, operatorId);
    const endedTokens = await tokens.revokeAll(trx, operatorId);
    await otps.remove(trx, operatorId);
    await identities.removeAll(trx, operatorId);
    await endInvitations(trx, account, proof.actor);
    await recordActivity(trx, {
      projectId: null,
      actor: proof.actor,
      action: 'operator.address_verified',
      subjectId: operatorId,
      details: { by: proof.by, endedTokens },
    });
    return true;
  };
}
