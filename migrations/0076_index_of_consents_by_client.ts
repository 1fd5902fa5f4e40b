import type { Knex } from 'knex';
import { buildIndexes } from '../src/platform/postgres/build-indexes.ts';

/** An index of a table that may be large is built while it is in use, which no transaction can do. */
export const config = { transaction: false };

/** The sweep of registered clients looks whether a person has allowed one something. */
export const up = (knex: Knex): Promise<void> =>
  buildIndexes(knex, { agent_consents_client_idx: 'agent_consents (project_id, client_id)' });
