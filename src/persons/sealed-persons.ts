import { z } from 'zod';
import type { Vault } from '../platform/vault.ts';
import type { Person } from './person.ts';

const personSchema = z.object({
  endUserId: z.string(),
  userId: z.string().nullable(),
  organization: z.string().nullable().default(null),
});

export type SealedPersons = ReturnType<typeof createSealedPersons>;

/** Who is being erased, sealed in the row of the erasure: the store must not name them in the clear any more. */
export function createSealedPersons({ vault }: { vault: Pick<Vault, 'seal' | 'open'> }) {
  const contextOf = (rowId: string, projectId: string) => ({
    table: 'user_erasures',
    column: 'person_sealed',
    rowId,
    projectId,
  });
  return {
    seal: (erasureId: string, { projectId, endUserId, userId, organization = null }: Person): string =>
      vault.seal(JSON.stringify({ endUserId, userId, organization }), contextOf(erasureId, projectId)),
    open: (erasureId: string, projectId: string, text: string): Person => ({
      projectId,
      ...personSchema.parse(JSON.parse(vault.open(text, contextOf(erasureId, projectId)))),
    }),
  };
}
