import type { ProviderOptions } from '../catalog/loading/provider-from-file.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { HttpError } from '../http/errors.ts';
import { limitReached } from '../http/limit-reached.ts';
import type { Db } from '../platform/postgres/database.ts';
import { findBrokenUses } from './broken-uses.ts';
import { providerFromStored } from './custom-description.ts';
import type { CustomProviderRow, CustomProvidersStore, GrantUse } from './custom-providers.store.ts';

const PROVIDERS_PER_PROJECT_MAX = 100;

/** Refuses one provider more than a project may describe. */
export async function assertRoom(store: CustomProvidersStore, trx: Db, projectId: string): Promise<void> {
  if ((await store.countLocked(trx, projectId)) < PROVIDERS_PER_PROJECT_MAX) return;
  const detail = `A project may describe ${PROVIDERS_PER_PROJECT_MAX} providers of its own.`;
  throw limitReached(detail);
}

/** Also holds off new integrations until the transaction ends. */
export async function lockUses(
  store: CustomProvidersStore,
  trx: Db,
  current: CustomProviderRow,
): Promise<GrantUse[]> {
  const uses = await store.lockAndCountUses(trx, current);
  if (uses === undefined) throw new HttpError('precondition_failed');
  return uses;
}

/** Refuses to delete a provider that integrations use. */
export async function assertUnused(
  store: CustomProvidersStore,
  trx: Db,
  current: CustomProviderRow,
): Promise<void> {
  const uses = (await lockUses(store, trx, current)).reduce((sum, { count }) => sum + count, 0);
  if (uses > 0)
    throw new HttpError('integrations_exist', { detail: `${uses} integrations use this provider.` });
}

/** Refuses a change that integrations could not live on with. Throws `integrations_exist` with each reason. */
export function assertBreaksNothing(
  { description }: CustomProviderRow,
  after: Provider,
  uses: readonly GrantUse[],
  options: ProviderOptions,
): void {
  const stored = providerFromStored(description, options);
  const before = { description, provider: stored.ok ? stored.provider : undefined };
  const errors = findBrokenUses(before, after, uses);
  if (errors.length === 0) return;
  const detail = `The change would break integrations of this provider: ${errors.map(({ message }) => message).join('; ')}.`;
  throw new HttpError('integrations_exist', { detail, errors });
}
