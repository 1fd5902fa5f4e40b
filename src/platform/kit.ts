import type { Knex } from 'knex';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import type { Outbound } from './outbound.ts';
import type { Telemetry } from './telemetry.ts';
import type { Vault } from './vault.ts';

/** What nearly every room is built with; a room takes what it needs of it: `Pick<Kit, 'db' | 'now'>`. */
export type Kit = {
  readonly db: Knex;
  readonly vault: Vault;
  readonly log: Logger;
  readonly outbound: Outbound;
  readonly metrics: Metrics;
  readonly telemetry: Telemetry;
  /** The gateway's origin, without a slash at its end. */
  readonly publicUrl: string;
  now(): number;
  random(): number;
};
