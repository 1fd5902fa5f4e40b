import type { Log } from '#embedded-postgres/types.ts';
import type { Config } from '../config.ts';
import { OperatorCommandError } from '../operators/gateway/operator-commands.ts';
import { createWrappedKeys } from '../platform/kms/wrapped-keys.ts';
import { type CatalogOptions, prepareTakeCatalog } from './catalog-commands.ts';
import { moveStore } from './move-store.ts';
import { withStore } from './operator-store.ts';
import type { Terminal } from './read-password.ts';

type Invocation = {
  readonly settings: Config;
  readonly terminal: Terminal;
  readonly log: Log;
  readonly systemUser: string;
  /** Of `--to`. */
  readonly to?: string | undefined;
} & CatalogOptions;
type StoreCommand = (invocation: Invocation) => Promise<void>;

/** Commands of `npm run operator` that are about the store itself or the catalog, and about no operator. */
export const STORE_COMMANDS: Readonly<Record<string, StoreCommand>> = {
  /** Gateways that run take the new key within seconds, and seal with it once all of them hold it. */
  async 'rotate-key'({ settings, terminal, log }) {
    if (settings.kms === undefined)
      throw new OperatorCommandError(
        '`rotate-key` is for keys that ENCRYPTION_KMS wraps. Keys of ENCRYPTION_KEYS are rotated by their order there.',
      );
    const wrappedKeys = createWrappedKeys({ settings: settings.kms, log });
    await withStore(settings, log, async ({ knex }) => {
      const id = await wrappedKeys.makeNext(knex);
      if (id === undefined)
        throw new OperatorCommandError(
          'A new key waits already: it seals once every process of the gateway holds it.',
        );
      terminal.print(
        `The key ${id} is made. It seals once every process of the gateway holds it, in about a minute; what older keys sealed is sealed again then.`,
      );
    });
  },

  async 'take-catalog'({ settings, terminal, log, systemUser, ...options }) {
    const take = await prepareTakeCatalog(options, settings);
    await withStore(settings, log, ({ knex }) => take({ settings, terminal, systemUser, db: knex }));
  },

  /** From the embedded store to a Postgres of one's own. */
  async 'move-store'({ settings, terminal, log, to }) {
    if (to === undefined)
      throw new OperatorCommandError('`move-store` needs --to <address of an empty database>.');
    await moveStore(settings, to, terminal, log);
  },
};
