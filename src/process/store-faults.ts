import { StartError } from '../lib/start-error.ts';
import { isTransientStoreError } from '../platform/postgres/store-errors.ts';

/** Variables whose URL may lead to the store. */
export type StoreVariable = 'DATABASE_URL' | 'DATABASE_DIRECT_URL';

type Fault = readonly [codes: RegExp, reason: string, remedy: string];

/** By SQLSTATE, or the code of Node's own errors. */
const FAULTS: readonly Fault[] = [
  [
    /^28P01$/,
    'the database refuses the password',
    'Check user and password; %-encode @ : / ? # and % in them.',
  ],
  [
    /^28000$/,
    'the database does not let this user in',
    'Check the user, and pg_hba.conf of the server: it may want TLS (sslmode=require or verify-full) or another address.',
  ],
  [
    /^3D000$/,
    'the database does not exist',
    'Create it (createdb), or correct the name after the last slash.',
  ],
  [
    /^42501$/,
    'the user may not do what the gateway needs',
    'Make the user the owner of the database: ALTER DATABASE … OWNER TO …',
  ],
  [/^53300$/, 'the server has no connection left', 'Raise max_connections, or lower DATABASE_POOL_MAX.'],
  [
    /^08P01$/,
    'what answers there refuses the connection',
    'Check user and password. If it is a connection pooler, docs/operations.md says how to set it up.',
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ERR_TLS|ERR_SSL|EPROTO/,
    'the certificate of the server cannot be verified',
    'Name its authority with sslrootcert=/path/to/ca.pem, or a host that its certificate is for. ' +
      'sslmode=require encrypts without verifying.',
  ],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    'the name of the host cannot be resolved',
    'Correct the host, or check the name servers of this machine.',
  ],
  [
    /^ENOENT connect$/,
    'there is no server at this socket',
    'Correct the directory of the socket, or start the server.',
  ],
];
const NO_TLS = /does not support SSL/i;

/**
 * An error of the store's first use as a refusal to start that names the variable, says what is wrong and what to do,
 * and shows no part of the URL. Other errors come back as they are.
 */
export function explainStoreFault(error: unknown, variable: StoreVariable): unknown {
  const code = codeOf(error);
  const refuse = (reason: string, remedy: string) =>
    new StartError(`${variable}: ${reason}${code === '' ? '' : ` (${code})`}.`, { remedy, cause: error });
  if (error instanceof Error && NO_TLS.test(error.message)) {
    return refuse(
      'the server does not speak TLS',
      'Switch TLS on at the server, or add sslmode=disable where the network between is your own.',
    );
  }
  const fault = FAULTS.find(([codes]) => codes.test(code));
  if (fault !== undefined) return refuse(fault[1], fault[2]);
  if (!isTransientStoreError(error)) return error;
  return refuse(
    'the database cannot be reached',
    'Check host and port, and that it runs and lets this machine in.',
  );
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  if (typeof error.code !== 'string') return '';
  // A missing file is another fault than a missing socket.
  return error.code === 'ENOENT' && 'syscall' in error ? `ENOENT ${error.syscall}` : error.code;
}
