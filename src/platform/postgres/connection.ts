import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { StartError } from '../../lib/start-error.ts';

type GetTypeParser = (oid: number, format?: string) => (text: string) => unknown;

/** What a pg client needs of a DATABASE_URL: the URL without its TLS parameters, and TLS decided by us. */
interface ConnectionSettings {
  connectionString: string;
  ssl: false | ConnectionOptions;
  types: { getTypeParser: GetTypeParser };
}

const TLS_PARAMETERS = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/i;
const INT8 = 20;

/**
 * Reads a Postgres URL (libpq's form, https://www.postgresql.org/docs/current/libpq-connect.html).
 * TLS: `sslmode` as libpq means it, so `require` (and `prefer`, `allow`, which we raise to it) encrypts without
 * verifying, `verify-ca` checks the chain, `verify-full` the name too; `no-verify` and `ssl=true|false` as node-postgres
 * means them. Without any of these: none over a unix socket or loopback, `verify-full` everywhere else.
 * Throws a StartError that never quotes the URL, which holds a password.
 */
export function connectionSettings(url: string): ConnectionSettings {
  if (!URL.canParse(url))
    throw new StartError(
      'The Postgres URL is not a URL of the form postgresql://user:password@host:5432/database',
    );
  const parsed = new URL(url);
  if (!/^postgres(ql)?:$/.test(parsed.protocol))
    throw new StartError('The Postgres URL must begin with postgresql://');
  const parameters = parsed.searchParams;
  const host = parameters.get('host') ?? decodeURIComponent(parsed.hostname);
  const ssl = tlsOptions(host, parameters);
  for (const name of TLS_PARAMETERS) parameters.delete(name);
  return { connectionString: parsed.href, ssl, types: { getTypeParser } };
}

type TlsMode = 'off' | 'unverified' | 'verify-ca' | 'verify-full';

/** How a connection to `host` is protected, by the URL's parameters. */
export function tlsMode(host: string, parameters: URLSearchParams): TlsMode {
  // Postgres has no TLS on unix sockets.
  if (host === '' || host.startsWith('/')) return 'off';
  const ssl = parameters.get('ssl');
  const mode = parameters.get('sslmode') ?? (ssl === 'no-verify' ? ssl : undefined);
  if (mode === undefined || mode === null) {
    if (ssl === 'true' || ssl === '1') return 'verify-full';
    if (ssl === 'false' || ssl === '0') return 'off';
    return LOOPBACK.test(host) ? 'off' : 'verify-full';
  }
  if (mode === 'disable') return 'off';
  if (mode === 'verify-ca' || mode === 'verify-full') return mode;
  // With a root certificate libpq verifies even in this mode, and says so.
  if (mode === 'require' && parameters.has('sslrootcert')) return 'verify-ca';
  if (['allow', 'prefer', 'require', 'no-verify'].includes(mode)) return 'unverified';
  throw new StartError(
    `The Postgres URL's sslmode must be one of disable, require, verify-ca, verify-full, not ${mode}`,
  );
}

function tlsOptions(host: string, parameters: URLSearchParams): false | ConnectionOptions {
  const mode = tlsMode(host, parameters);
  if (mode === 'off') return false;
  const read = (name: string) => {
    const path = parameters.get(name);
    return path === null || path === 'system' ? undefined : readTlsFile(name, path);
  };
  const [ca, cert, key] = [read('sslrootcert'), read('sslcert'), read('sslkey')];
  return {
    rejectUnauthorized: mode !== 'unverified',
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
    ...(ca ? { ca } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
  };
}

function readTlsFile(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new StartError(`The file that the Postgres URL names as ${name} cannot be read.`, { cause });
  }
}

/** pg's own parsers (timestamptz is a Date), but a bigint is a number wherever a number holds it exactly. */
const getTypeParser: GetTypeParser = (oid, format) => {
  if (oid === INT8 && format !== 'binary') return parseInt8;
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
};

function parseInt8(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}
