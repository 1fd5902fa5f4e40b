import { z } from 'zod';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { settleWithin } from '../../lib/settle-within.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import type { OperatorsStore } from '../accounts/operators.store.ts';
import { requireProfile } from '../accounts/require-profile.ts';
import type { GatewayStore } from './gateway.store.ts';

/** What every operator may know of the gateway. */
export type GatewayFacts = {
  readonly version: string;
  readonly publicUrl: string;
  readonly proxyUrl: string;
  readonly startedAt: Date;
  readonly demo: boolean;
};

type GatewayDependencies = {
  db: Db;
  operators: OperatorsStore;
  gatewayStore: GatewayStore;
  facts: GatewayFacts;
  isStoreEmbedded: boolean;
  /** Those that this process can open, the one that seals first. */
  listKeyIds(): readonly string[];
  /** By key id, of every sealed text; it walks them all. */
  countRowsByKeyId(): Promise<ReadonlyMap<string, number>>;
  /** No secret among them. */
  settings: Readonly<Record<string, unknown>>;
  /** The latest reverse proxy that passed a request on and is not in TRUST_PROXY. */
  untrustedProxy(): { readonly address: string; readonly seenAt: Date } | undefined;
  now(): number;
};

const COUNTED_MS = 5 * 60_000;
const COUNT_WAIT_MS = 1_000;

const details = {
  store: z.object({
    embedded: z.boolean(),
    serverVersion: z.string(),
    migration: z.string().nullable().meta({ description: 'The newest one that is applied.' }),
  }),
  encryptionKeys: z
    .array(
      z.object({
        id: z.string(),
        rows: z.number().nullable().meta({ description: 'Sealed texts; null while they are counted.' }),
      }),
    )
    .meta({ description: 'The first seals; one with no rows may be removed. Counted every five minutes.' }),
  replicas: z.array(z.object({ id: z.string(), startedAt: z.iso.datetime() })),
  settings: z.record(z.string(), z.unknown()),
  untrustedProxy: z.object({ address: z.string(), seenAt: z.iso.datetime() }).meta({
    description:
      'A sender of `X-Forwarded-*` that TRUST_PROXY does not name, as this process saw it last: while it is a proxy of yours, its callers share one rate limit. Null where there was none.',
  }),
};

const gatewaySchema = z
  .object({
    version: z.string(),
    publicUrl: z.string(),
    proxyUrl: z.string(),
    startedAt: z.iso.datetime().meta({ description: 'Of the process that answers.' }),
    demo: z.boolean(),
    store: details.store.nullable(),
    encryptionKeys: details.encryptionKeys.nullable(),
    replicas: details.replicas.nullable(),
    settings: details.settings.nullable(),
    untrustedProxy: details.untrustedProxy.nullable(),
  })
  .meta({ id: 'Gateway', description: 'The nullable members are for owners of the gateway only.' });

/** What operators see of the gateway itself. */
export function createGatewayEndpoints(deps: GatewayDependencies): Endpoint[] {
  const { db, operators, gatewayStore, facts } = deps;
  const countKeys = createKeyCount(deps);

  async function readDetails() {
    const [store, replicas, encryptionKeys] = await Promise.all([
      gatewayStore.readStoreFacts(),
      gatewayStore.listReplicas(),
      countKeys(),
    ]);
    return {
      store: { embedded: deps.isStoreEmbedded, ...store },
      encryptionKeys,
      replicas: replicas.map(({ id, startedAt }) => ({ id, startedAt: startedAt.toISOString() })),
      settings: { ...deps.settings },
      untrustedProxy: readUntrustedProxy(deps.untrustedProxy()),
    };
  }

  const read = endpoint({
    operationId: 'getGateway',
    method: 'get',
    path: '/gateway',
    summary: 'Read about the gateway',
    description:
      'Version and addresses; for owners of the gateway also its store, keys, replicas and settings.',
    tag: 'Signing in',
    principals: ['operator'],
    leastRole: 'anyone',
    success: { status: 200, schema: gatewaySchema, description: 'The gateway' },
    async handler({ principal }) {
      const { gatewayOwner } = await requireProfile(operators, db, principal.operatorId);
      const own = gatewayOwner ? await readDetails() : NO_DETAILS;
      return { body: { ...facts, startedAt: facts.startedAt.toISOString(), ...own } };
    },
  });

  return [read];
}

function readUntrustedProxy(seen: ReturnType<GatewayDependencies['untrustedProxy']>) {
  return seen === undefined ? null : { address: seen.address, seenAt: seen.seenAt.toISOString() };
}

const NO_DETAILS = {
  store: null,
  encryptionKeys: null,
  replicas: null,
  settings: null,
  untrustedProxy: null,
};

/** Counts in the background, once for all who ask within five minutes: there may be millions of rows. */
function createKeyCount({ listKeyIds, countRowsByKeyId, now }: GatewayDependencies) {
  let counted: ReadonlyMap<string, number> | undefined;
  let countedAtMs = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | undefined;

  async function count(): Promise<void> {
    try {
      counted = await withoutStoreLimit(countRowsByKeyId);
      countedAtMs = now();
    } finally {
      counting = undefined;
    }
  }

  return async () => {
    if (now() - countedAtMs >= COUNTED_MS) {
      counting ??= count();
      // A count that fails is made again for the next who asks.
      const settled = counting.catch(() => undefined);
      await settleWithin(COUNT_WAIT_MS, settled, () => undefined);
    }
    const ids = [...new Set([...listKeyIds(), ...(counted?.keys() ?? [])])];
    return ids.map((id) => ({ id, rows: counted === undefined ? null : (counted.get(id) ?? 0) }));
  };
}
