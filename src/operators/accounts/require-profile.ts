import { HttpError } from '../../http/errors.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { OperatorsStore, Profile } from './operators.store.ts';

export async function requireProfile(operators: OperatorsStore, db: Db, id: string): Promise<Profile> {
  const profile = await operators.findProfile(db, id);
  if (profile === undefined) throw new HttpError('not_found');
  return profile;
}
