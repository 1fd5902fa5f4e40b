import { templateValues } from '../../catalog/facts/template-values.ts';
import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { PollValues } from './fill-request.ts';
import { PollFailure } from './poll-failure.ts';

const WHOLE_NUMBER = /^[1-9]\d{0,14}$/;

/**
 * What requests name the connection by: its variables, and its account, as a text, and as a number where it is one. A
 * variable of the same name wins.
 */
export function buildAccountValues(
  accountId: string | null,
  variables: Readonly<Record<string, string>>,
): PollValues {
  const isNumber = accountId !== null && WHOLE_NUMBER.test(accountId);
  const accountNumber = isNumber ? Number(accountId) : undefined;
  return {
    accountNumber,
    ...templateValues({ before: { accountId: accountId ?? undefined }, connection: variables }),
  };
}

/**
 * Throws PollFailure where the resource is read by account and the connection does not know its own: a parameter that is
 * left out could ask for the changes of every account.
 */
export function requireAccount({ changes }: PollResource, accountId: string | null): void {
  if (accountId !== null || changes?.by !== 'log') return;
  const isNamed = changes.account !== undefined || /\{account(?:Id|Number)\}/.test(JSON.stringify(changes));
  if (!isNamed) return;
  throw new PollFailure(
    'account_unknown',
    'The gateway does not know which account at the provider the connection is for. Have the user authorize again.',
  );
}
