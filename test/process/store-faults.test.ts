import { StartError } from '../../src/lib/start-error.ts';
import { explainStoreFault } from '../../src/process/store-faults.ts';

const failure = (code: string, more: object = {}) =>
  Object.assign(new Error('planted words'), { code, ...more });

describe('a fault of the database', () => {
  it.each([
    ['28P01', /refuses the password.*%-encode/s],
    ['28000', /does not let this user in.*pg_hba/s],
    ['3D000', /does not exist.*createdb/s],
    ['42501', /may not do.*OWNER/s],
    ['53300', /no connection left.*DATABASE_POOL_MAX/s],
    ['08P01', /refuses the connection.*pooler/s],
    ['SELF_SIGNED_CERT_IN_CHAIN', /certificate.*sslrootcert/s],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /certificate.*sslrootcert/s],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /certificate.*sslrootcert/s],
    ['ENOTFOUND', /name of the host.*name servers/s],
    ['ECONNREFUSED', /cannot be reached.*Check host and port/s],
    ['ETIMEDOUT', /cannot be reached.*Check host and port/s],
  ])('%s names the variable, the code, the reason and what to do', (code, said) => {
    const refusal = explainStoreFault(failure(code), 'DATABASE_URL');
    expect(refusal).toBeInstanceOf(StartError);
    const { message, remedy } = refusal as StartError;
    expect(`${message}\n${remedy}`).toMatch(said);
    expect(message).toMatch(/^DATABASE_URL: /);
    expect(message).toContain(`(${code})`);
    expect(message).not.toContain('planted');
  });

  it('at a socket is told from one of a file', () => {
    const socket = explainStoreFault(failure('ENOENT', { syscall: 'connect' }), 'DATABASE_URL');
    expect((socket as Error).message).toContain('no server at this socket');
    const file = failure('ENOENT', { syscall: 'open' });
    expect(explainStoreFault(file, 'DATABASE_URL')).toBe(file);
  });

  it('that does not come from the store is not changed', () => {
    const bug = new TypeError('x is not a function');
    expect(explainStoreFault(bug, 'DATABASE_URL')).toBe(bug);
  });
});
