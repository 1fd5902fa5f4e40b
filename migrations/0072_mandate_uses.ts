import type { Knex } from 'knex';
import { buildIndexes } from '../src/platform/postgres/build-indexes.ts';

/** An index of a table that may be large is built while it is in use, which no transaction can do. */
export const config = { transaction: false };

/** Kept calls under mandates, for what a project's mandates are used for. A release before this one does not notice it. */
export const up = (knex: Knex): Promise<void> =>
  buildIndexes(knex, {
    recent_calls_mandated_idx: 'recent_calls (project_id, request_id) WHERE mandates IS NOT NULL',
  });
