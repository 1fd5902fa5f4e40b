import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { PollFailure } from '../pages/poll-failure.ts';
import type { PollTask } from '../pages/poll-task.ts';
import type { ProviderResponse } from '../pages/read-response.ts';
import { findRateBudgetId } from '../rate-limits/rate-budget.ts';
import type { RateBudgets } from '../rate-limits/rate-budgets.ts';

/** Remembers what an answer says of the provider's rate limit. Throws PollFailure where it refuses for now. */
export function createNoteRateLimit({ rateBudgets }: { readonly rateBudgets: Pick<RateBudgets, 'learn'> }) {
  return (
    task: Pick<PollTask, 'connectionId' | 'integrationId'>,
    { provider }: { readonly provider: Provider },
    { status, headers }: Pick<ProviderResponse, 'status' | 'headers'>,
  ): void => {
    const watch = { budgetId: findRateBudgetId(provider, task), rules: provider };
    const learned = rateBudgets.learn(watch, status, (name) => [headers[name.toLowerCase()] ?? []].flat()[0]);
    const { pausedForMs = null } = learned ?? {};
    if (pausedForMs !== null) {
      throw new PollFailure('rate_limited', `The provider answered ${status}.`, pausedForMs);
    }
  };
}
