import { isTransientStoreError } from '../../../src/platform/postgres/store-errors.ts';

const withCode = (code: string, fields: object = {}) => Object.assign(new Error('x'), { code }, fields);

describe('isTransientStoreError', () => {
  it.each(['57P01', '57P03', '08006', '53300', '53100', '40001', '40P01', '25006', '57014', '55P03'])(
    'takes SQLSTATE %s for transient',
    (code) => {
      expect(isTransientStoreError(withCode(code))).toBe(true);
    },
  );

  it.each(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'EPIPE'])(
    'takes %s for transient',
    (code) => {
      expect(isTransientStoreError(withCode(code))).toBe(true);
    },
  );

  it.each(['23505', '23503', '42601', '42P01', '22P02', '3D000', '28P01', 'ERR_INVALID_ARG_TYPE'])(
    'takes %s for a fault of ours',
    (code) => {
      expect(isTransientStoreError(withCode(code))).toBe(false);
    },
  );

  it('takes a missing socket for transient, a missing file not', () => {
    expect(isTransientStoreError(withCode('ENOENT', { syscall: 'connect' }))).toBe(true);
    expect(isTransientStoreError(withCode('ENOENT', { syscall: 'open' }))).toBe(false);
  });

  it.each([
    'Connection terminated unexpectedly',
    'timeout expired',
    'select $1 - Query read timeout',
    'Knex: Timeout acquiring a connection. The pool is probably full.',
    'Client has encountered a connection error and is not queryable',
  ])('takes pg and knex saying "%s" for transient', (message) => {
    expect(isTransientStoreError(new Error(message))).toBe(true);
  });

  it.each([
    new TypeError('x is not a function'),
    new Error('the row has no name'),
    'timeout expired',
    undefined,
  ])('takes %p for a fault of ours', (thrown) => {
    expect(isTransientStoreError(thrown)).toBe(false);
  });
});
