import { HttpError } from '../../http/errors.ts';
import { isTransientStoreError } from '../../platform/postgres/store-errors.ts';

/** What `work` gives; throws `store_unavailable` while the store cannot be reached. */
export async function withStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isTransientStoreError(error)) throw new HttpError('store_unavailable', { cause: error });
    throw error;
  }
}
