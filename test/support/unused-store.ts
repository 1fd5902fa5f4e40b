import knex from 'knex';

/** A store for what only hands it on: a query to it fails. */
export const UNUSED_STORE = knex({ client: 'pg' });
