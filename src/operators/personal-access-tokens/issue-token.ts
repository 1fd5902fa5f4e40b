import type { CommitReply } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { PrincipalOf } from '../../http/principal.ts';
import type { Mailer } from '../../platform/mailer.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { operatorMails } from '../accounts/operator-mails.ts';
import type { Account, OperatorsStore } from '../accounts/operators.store.ts';
import { requireProfile } from '../accounts/require-profile.ts';
import type { ProvePresence } from '../sessions/prove-presence.ts';
import { toTokenWire } from './personal-access-tokens.schema.ts';
import type { PersonalAccessToken } from './personal-access-tokens.store.ts';
import { isTokenEndAllowed, usualTokenEnd } from './token-lifetime.ts';

export type IssueTokenDependencies = {
  db: Db;
  operators: OperatorsStore;
  presence: ProvePresence;
  mailer: Mailer;
  publicUrl: string;
  /** How long a token may live at most. */
  daysMax: number;
  now(): number;
};

type Asked = {
  readonly principal: PrincipalOf<readonly ['operator']>;
  readonly request: Parameters<ProvePresence['assertPresent']>[1];
  readonly commitReply: CommitReply;
  readonly password: string | undefined;
};

type NewToken = { readonly personalAccessToken: PersonalAccessToken; readonly token: string };

/**
 * The reply with the token that `make` makes, for an operator who proves to be there and whose address is verified; they get a
 * mail about it.
 */
export async function issueToken(
  deps: IssueTokenDependencies,
  { principal, request, commitReply, password }: Asked,
  make: (trx: Db, operatorId: string) => Promise<NewToken>,
) {
  const { operators, db } = deps;
  const profile = await requireProfile(operators, db, principal.operatorId);
  if (!profile.emailVerified) throw new HttpError('address_unverified');
  await deps.presence.assertPresent(principal, request, profile, password);
  let notify = () => {};
  const reply = await commitReply(db, async (trx) => {
    // Locked, so that no token is made while the address becomes verified and what was before ends.
    const account = await operators.lock(trx, principal.operatorId);
    if (account?.isEmailVerified !== true) throw new HttpError('address_unverified');
    const { personalAccessToken, token } = await make(trx, account.id);
    notify = () => notifyOwner(deps, account, personalAccessToken, request.ip);
    return { body: { ...toTokenWire(personalAccessToken), token } };
  });
  notify();
  return reply;
}

/** When a new token ends: as asked, within what the setting allows. */
export function chooseEnd(
  { now, daysMax }: Pick<IssueTokenDependencies, 'now' | 'daysMax'>,
  asked: string | undefined,
): Date {
  const time = now();
  if (asked === undefined) return usualTokenEnd(time, daysMax);
  const end = new Date(asked);
  if (isTokenEndAllowed(end, time, daysMax)) return end;
  const message = `At most ${daysMax} days ahead; the setting PERSONAL_ACCESS_TOKEN_DAYS_MAX allows more`;
  throw new HttpError('invalid_request', { errors: [{ path: 'body.expiresAt', message }] });
}

/** In the background: a token that its owner did not make must not stay unnoticed. */
function notifyOwner(
  { mailer, publicUrl }: IssueTokenDependencies,
  { id, email, language }: Account,
  { name, createdAt }: PersonalAccessToken,
  sourceAddress: string | undefined,
): void {
  const facts = { name, at: createdAt, address: sourceAddress ?? 'unknown', url: `${publicUrl}/me` };
  const mail = { to: email, ...operatorMails(language).tokenCreated(facts) };
  void mailer.send('token created', mail, id);
}
