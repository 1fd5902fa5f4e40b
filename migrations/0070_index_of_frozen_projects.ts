import type { Knex } from 'knex';
import { buildIndexes } from '../src/platform/postgres/build-indexes.ts';

/** An index of a table that may be large is built while it is in use, which no transaction can do. */
export const config = { transaction: false };

/** Each process reads which projects are frozen with every change of a project. */
export const up = (knex: Knex): Promise<void> =>
  buildIndexes(knex, { projects_frozen_idx: 'projects (id) WHERE frozen_at IS NOT NULL' });
