import type { Connection } from '../../app/connect-popup.ts';
import type { Texts } from '../../texts/area-texts.ts';

/** The account's name, its id, or that it has none. */
export function nameAccount(
  { accountName, accountId }: Pick<Connection, 'accountName' | 'accountId'>,
  texts: Texts['connections'],
): string {
  return accountName ?? accountId ?? texts.noAccountName;
}
