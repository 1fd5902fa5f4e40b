import type { Db } from '../../platform/postgres/database.ts';

type Row = { id: string; email: string; name: string | null; gateway_owner_since: Date };

/** An operator who owns the gateway itself. */
export type GatewayOwner = Readonly<{ id: string; email: string; name: string | null; since: Date }>;

export type GatewayOwnersStore = ReturnType<typeof createGatewayOwnersStore>;

/** Owners of the gateway: the first operator, and those whom an owner of the gateway or the command on the server appoints. */
export function createGatewayOwnersStore() {
  return {
    async list(db: Db): Promise<GatewayOwner[]> {
      const rows: Row[] = await db('operators')
        .whereNotNull('gateway_owner_since')
        .orderBy('id')
        .select('id', 'email', 'name', 'gateway_owner_since');
      return rows.map(({ gateway_owner_since: since, ...owner }) => ({ ...owner, since }));
    },

    /** The ids of all, locked until the transaction ends, so that two changes together do not remove the last one. */
    async lockAll(trx: Db): Promise<string[]> {
      return trx('operators').whereNotNull('gateway_owner_since').orderBy('id').forUpdate().pluck('id');
    },

    /** False where the operator is one already. */
    async add(trx: Db, operatorId: string): Promise<boolean> {
      const added = await trx('operators')
        .where({ id: operatorId })
        .whereNull('gateway_owner_since')
        .update({ gateway_owner_since: trx.fn.now() });
      return added > 0;
    },

    async remove(trx: Db, operatorId: string): Promise<void> {
      await trx('operators').where({ id: operatorId }).update({ gateway_owner_since: null });
    },
  };
}
