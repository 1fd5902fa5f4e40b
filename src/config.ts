import { existsSync, readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { StartError } from './lib/start-error.ts';

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

const HOUR_MS = 3_600_000;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const ROLES = ['owner', 'admin', 'viewer'] as const;

/** Digits only: other notations that `Number` accepts (`1e3`, `0x10`) are mistakes here. */
const wholeNumber = (least: number, most: number, expected: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, expected)
    .transform(Number)
    .refine((value) => value >= least && value <= most, expected);
const count = (fallback: number, least = 0) =>
  wholeNumber(least, Number.MAX_SAFE_INTEGER, `a whole number, ${least} or more`).default(fallback);
const atLeastOne = wholeNumber(1, Number.MAX_SAFE_INTEGER, 'a whole number, 1 or more');
const days = wholeNumber(1, 36_500, 'a whole number from 1 to 36500');
const port = wholeNumber(0, 65_535, 'a whole number from 0 to 65535');
const flag = z
  .enum(['true', 'false', '1', '0'], 'true or false')
  .default('false')
  .transform((value) => value === 'true' || value === '1');

const postgresUrl = z.string().regex(/^postgres(ql)?:\/\//, 'a postgresql:// URL');

/** Every variable that the gateway reads, with its default. `.env.example` explains each in a sentence. */
const environment = z.object({
  PORT: port.default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  PUBLIC_URL: z.string().optional(),
  PROXY_URL: z.string().optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_DIRECT_URL: postgresUrl.optional(),
  DATABASE_POOL_MAX: count(10, 2),
  DATA_DIR: z.string().min(1).default('./data'),
  ENCRYPTION_KEYS: z.string().optional(),
  SETUP_TOKEN: z.string().min(16, 'at least 16 characters').optional(),
  CATALOG_DIR: z.string().optional(),
  ALLOW_PRIVATE_NETWORKS: flag,
  WEB_CONCURRENCY: count(1, 1),
  TRUST_PROXY: z.string().optional(),
  METRICS_PORT: port.optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`).default('info'),
  SHUTDOWN_DELAY_MS: wholeNumber(0, 3_600_000, 'a whole number, 0 to 3600000').optional(),
  SHUTDOWN_TIMEOUT_MS: count(30_000),
  PROXY_REQUEST_BODY_BYTES_MAX: count(100 * 1024 * 1024),
  PROXY_CONNECT_TIMEOUT_MS: count(5_000, 1),
  PROXY_FIRST_BYTE_TIMEOUT_MS: count(60_000, 1),
  PROXY_IDLE_TIMEOUT_MS: count(60_000, 1),
  PROXY_SOCKETS_PER_ORIGIN_MAX: count(256, 1),
  PROXY_TIMEOUT_MAX_SECONDS: count(1_800, 1),
  PROXY_CONCURRENCY_MAX: count(10_000, 1),
  PROXY_CONCURRENCY_PER_ORIGIN_MAX: atLeastOne.optional(),
  PROXY_CONCURRENCY_PER_CONNECTION_MAX: atLeastOne.optional(),
  PROXY_CONCURRENCY_PER_USER_MAX: atLeastOne.optional(),
  PROXY_CONCURRENCY_PER_PROJECT_MAX: atLeastOne.optional(),
  RATE_LIMIT_MANAGEMENT_PER_MINUTE: count(3_000),
  RATE_LIMIT_PROXY_PER_MINUTE: count(60_000),
  RATE_LIMIT_FAILED_AUTHENTICATION_PER_MINUTE: count(300),
  RATE_LIMIT_CONNECT_PER_MINUTE: count(1_000),
  TOKEN_REQUEST_TIMEOUT_MS: count(10_000, 1),
  ACTIVITY_KEEP_DAYS: days.default(400),
  STATS_MINUTES_KEEP_HOURS: wholeNumber(1, 168, 'a whole number from 1 to 168').default(12),
  STATS_HOURS_KEEP_DAYS: wholeNumber(2, 400, 'a whole number from 2 to 400').default(21),
  STATS_DAYS_KEEP_DAYS: days.default(400),
  EVENT_DESTINATIONS_AT_ONCE: wholeNumber(1, 1_000, 'a whole number from 1 to 1000').default(100),
  EVENTS_KEEP_DAYS: wholeNumber(1, 365, 'a whole number from 1 to 365').default(30),
  CALLS_KEEP_DAYS: wholeNumber(1, 90, 'a whole number from 1 to 90').default(7),
  CALLS_KEEP_PER_PROJECT_MAX: wholeNumber(2, 100_000, 'a whole number from 2 to 100000').default(5_000),
  CALLS_SLOW_MS: count(3_000, 1),
  CONNECT_SESSION_LIFETIME_SECONDS: count(600, 10),
  CONNECT_SWEEP_INTERVAL_SECONDS: count(20, 1),
  DEMO: flag,
  OIDC_ISSUER: z.string().optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_ALLOWED_DOMAINS: z.string().optional(),
  OIDC_DEFAULT_ROLE: z.enum(ROLES, `one of ${ROLES.join(', ')}`).optional(),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/\S+$/, 'an smtp:// or smtps:// URL')
    .refine(
      (text) => URL.canParse(text),
      'an smtp:// or smtps:// URL; percent-encode what its user or password has of @ : /',
    )
    .optional(),
  SMTP_FROM: z.string().min(3).max(320).optional(),
});

/** Each may stand in a file instead, named by `<NAME>_FILE`: how Docker and Kubernetes hand secrets over. */
const SECRETS = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'ENCRYPTION_KEYS',
  'SETUP_TOKEN',
  'OIDC_CLIENT_SECRET',
  'SMTP_URL',
] as const;
const SECRET_FILE_BYTES_MAX = 64 * 1024;

/** A refusal to start: what is wrong with which variable. Its message never shows a value that may be a secret. */
export class ConfigurationError extends StartError {
  override readonly name = 'ConfigurationError';
}

export type Config = Readonly<{
  port: number;
  host: string;
  publicUrl: string;
  /** The origin on which the proxy alone answers; undefined where it shares `publicUrl`. */
  proxyUrl: string | undefined;
  databaseUrl: string | undefined;
  databaseDirectUrl: string | undefined;
  databasePoolMax: number;
  dataDir: string;
  encryptionKeys: string | undefined;
  setupToken: string | undefined;
  catalogDir: string | undefined;
  allowPrivateNetworks: boolean;
  workers: number;
  trustProxy: number | string[] | false;
  metricsPort: number | undefined;
  logLevel: string;
  /** Unset: a few seconds where a balancer polls `/readyz`, else none. */
  shutdownDelayMs: number | undefined;
  shutdownTimeoutMs: number;
  proxy: Readonly<{
    requestBodyBytesMax: number;
    connectTimeoutMs: number;
    firstByteTimeoutMs: number;
    idleTimeoutMs: number;
    timeoutSecondsMax: number;
    socketsPerOriginMax: number;
    /** Calls in flight in one process. */
    concurrency: Readonly<{
      total: number;
      perOrigin: number;
      perConnection: number;
      perUser: number;
      perProject: number;
    }>;
  }>;
  rateLimits: Readonly<{
    managementPerMinute: number;
    proxyPerMinute: number;
    failedAuthenticationPerMinute: number;
    connectPerMinute: number;
  }>;
  tokenRequestTimeoutMs: number;
  activityKeepDays: number;
  events: Readonly<{
    keepDays: number;
    /** Destinations that one process serves at the same time. */
    destinationsAtOnce: number;
  }>;
  calls: Readonly<{
    /** How long minutes, hours and days are kept, in ms. */
    keep: Readonly<{ minute: number; hour: number; day: number }>;
    callsKeepDays: number;
    callsPerProjectMax: number;
    slowMs: number;
  }>;
  connectSessionLifetimeSeconds: number;
  connectSweepIntervalSeconds: number;
  /** Started by `npm run demo`. */
  isDemo: boolean;
  /** Undefined: operators sign in with passwords only. */
  oidc: OidcConfig | undefined;
  /** Undefined: no mails are sent. */
  smtp: Readonly<{ url: string; from: string }> | undefined;
}>;

/** The identity provider that operators may sign in with. */
export type OidcConfig = Readonly<{
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** In lower case. Empty: an operator must exist, or be invited, before single sign-on works. */
  allowedDomains: readonly string[];
  /** What a newcomer becomes in every project there is; undefined: a member of none. */
  defaultRole: (typeof ROLES)[number] | undefined;
}>;

/**
 * Reads the environment (and `.env` in `directory`, which never overrides it) into one frozen Config.
 * Throws ConfigurationError naming every faulty variable and what is expected of it.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env, directory: string = process.cwd()): Config {
  const file = resolve(directory, '.env');
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  const merged = Object.fromEntries(
    Object.entries({ ...fromFile, ...env }).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse({ ...merged, ...readSecretFiles(merged, directory) });
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigurationError(`The configuration has faults:\n  ${faults.join('\n  ')}`);
  }
  return Object.freeze(configFrom(parsed.data));
}

/** The secrets whose `<NAME>_FILE` names a file, without the line end that editors put there. */
function readSecretFiles(
  env: Readonly<Record<string, string | undefined>>,
  directory: string,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of SECRETS) {
    const file = env[`${name}_FILE`];
    if (file === undefined) continue;
    if (env[name] !== undefined) throw new ConfigurationError(`${name}: set either ${name} or ${name}_FILE`);
    found[name] = readSecretFile(`${name}_FILE`, resolve(directory, file));
  }
  return found;
}

function readSecretFile(variable: string, file: string): string {
  const isThere = statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  if (!isThere) throw new ConfigurationError(`${variable}: a file; ${file} is none`);
  if (statSync(file).size > SECRET_FILE_BYTES_MAX) {
    throw new ConfigurationError(`${variable}: a file of at most ${SECRET_FILE_BYTES_MAX} bytes`);
  }
  try {
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (text !== '') return text;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new ConfigurationError(`${variable}: ${file} cannot be read (${reason})`);
  }
  throw new ConfigurationError(`${variable}: ${file} is empty`);
}

function configFrom(env: z.infer<typeof environment>): Config {
  if (env.DATABASE_DIRECT_URL !== undefined && env.DATABASE_URL === undefined) {
    throw new ConfigurationError('DATABASE_DIRECT_URL is of use only beside DATABASE_URL, which is not set.');
  }
  if (env.DATABASE_URL !== undefined && env.ENCRYPTION_KEYS === undefined) {
    throw new ConfigurationError(
      'ENCRYPTION_KEYS is needed with DATABASE_URL: id:base64(32 bytes), for example k1:$(openssl rand -base64 32). ' +
        'Keep it apart from the database: without it the stored credentials cannot be read.',
    );
  }
  const publicUrl = originFrom('PUBLIC_URL', env.PUBLIC_URL ?? `http://localhost:${env.PORT}`);
  return {
    port: env.PORT,
    host: env.HOST,
    publicUrl,
    proxyUrl: proxyUrlFrom(env.PROXY_URL, publicUrl),
    databaseUrl: env.DATABASE_URL,
    databaseDirectUrl: env.DATABASE_DIRECT_URL,
    databasePoolMax: env.DATABASE_POOL_MAX,
    dataDir: resolve(env.DATA_DIR),
    encryptionKeys: env.ENCRYPTION_KEYS,
    setupToken: env.SETUP_TOKEN,
    catalogDir: catalogDirFrom(env.CATALOG_DIR),
    allowPrivateNetworks: env.ALLOW_PRIVATE_NETWORKS,
    workers: env.WEB_CONCURRENCY,
    trustProxy: trustProxyFrom(env.TRUST_PROXY),
    metricsPort: env.METRICS_PORT,
    logLevel: env.LOG_LEVEL,
    shutdownDelayMs: env.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_MS,
    proxy: {
      requestBodyBytesMax: env.PROXY_REQUEST_BODY_BYTES_MAX,
      connectTimeoutMs: env.PROXY_CONNECT_TIMEOUT_MS,
      firstByteTimeoutMs: env.PROXY_FIRST_BYTE_TIMEOUT_MS,
      idleTimeoutMs: env.PROXY_IDLE_TIMEOUT_MS,
      timeoutSecondsMax: env.PROXY_TIMEOUT_MAX_SECONDS,
      socketsPerOriginMax: env.PROXY_SOCKETS_PER_ORIGIN_MAX,
      concurrency: concurrencyFrom(env),
    },
    rateLimits: {
      managementPerMinute: env.RATE_LIMIT_MANAGEMENT_PER_MINUTE,
      proxyPerMinute: env.RATE_LIMIT_PROXY_PER_MINUTE,
      failedAuthenticationPerMinute: env.RATE_LIMIT_FAILED_AUTHENTICATION_PER_MINUTE,
      connectPerMinute: env.RATE_LIMIT_CONNECT_PER_MINUTE,
    },
    tokenRequestTimeoutMs: env.TOKEN_REQUEST_TIMEOUT_MS,
    activityKeepDays: env.ACTIVITY_KEEP_DAYS,
    events: { keepDays: env.EVENTS_KEEP_DAYS, destinationsAtOnce: env.EVENT_DESTINATIONS_AT_ONCE },
    calls: {
      keep: {
        minute: env.STATS_MINUTES_KEEP_HOURS * HOUR_MS,
        hour: env.STATS_HOURS_KEEP_DAYS * 24 * HOUR_MS,
        day: env.STATS_DAYS_KEEP_DAYS * 24 * HOUR_MS,
      },
      callsKeepDays: env.CALLS_KEEP_DAYS,
      callsPerProjectMax: env.CALLS_KEEP_PER_PROJECT_MAX,
      slowMs: env.CALLS_SLOW_MS,
    },
    connectSessionLifetimeSeconds: env.CONNECT_SESSION_LIFETIME_SECONDS,
    connectSweepIntervalSeconds: env.CONNECT_SWEEP_INTERVAL_SECONDS,
    isDemo: env.DEMO,
    oidc: oidcFrom(env),
    smtp: smtpFrom(env, publicUrl),
  };
}

function oidcFrom(env: z.infer<typeof environment>): OidcConfig | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_ALLOWED_DOMAINS, OIDC_DEFAULT_ROLE } = env;
  const needed = { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET };
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []));
  const isNamed = missing.length < 3 || OIDC_ALLOWED_DOMAINS !== undefined || OIDC_DEFAULT_ROLE !== undefined;
  if (!isNamed) return undefined;
  if (OIDC_ISSUER === undefined || OIDC_CLIENT_ID === undefined || OIDC_CLIENT_SECRET === undefined) {
    throw new ConfigurationError(
      `${missing.join(', ')}: needed for single sign-on, beside the other OIDC_ settings`,
    );
  }
  return {
    issuer: issuerFrom(OIDC_ISSUER, env.ALLOW_PRIVATE_NETWORKS),
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    allowedDomains: domainsFrom(OIDC_ALLOWED_DOMAINS),
    defaultRole: OIDC_DEFAULT_ROLE,
  };
}

/** OpenID Connect Discovery 1.0 section 3: an https URL without query and fragment, compared to the letter. */
function issuerFrom(text: string, allowsHttp: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'https:' || (allowsHttp && url?.protocol === 'http:');
  if (isWeb && url?.search === '' && url.hash === '' && url.username === '') return text;
  throw new ConfigurationError(
    'OIDC_ISSUER: an https URL without query, as the identity provider names itself in its discovery document',
  );
}

function domainsFrom(text: string | undefined): string[] {
  const domains = (text ?? '')
    .split(',')
    .map((domain) => domain.trim().toLowerCase())
    .filter((domain) => domain !== '');
  if (domains.every((domain) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain))) return domains;
  throw new ConfigurationError('OIDC_ALLOWED_DOMAINS: domains of e-mail addresses, separated by commas');
}

function smtpFrom(env: z.infer<typeof environment>, publicUrl: string): Config['smtp'] {
  if (env.SMTP_URL === undefined) {
    if (env.SMTP_FROM === undefined) return undefined;
    throw new ConfigurationError('SMTP_FROM is of use only beside SMTP_URL, which is not set.');
  }
  const from = env.SMTP_FROM ?? `Integration Gateway <no-reply@${new URL(publicUrl).hostname}>`;
  return { url: env.SMTP_URL, from };
}

/** Default shares of PROXY_CONCURRENCY_MAX, so that no caller can take every slot of a process. */
function concurrencyFrom(env: z.infer<typeof environment>): Config['proxy']['concurrency'] {
  const total = env.PROXY_CONCURRENCY_MAX;
  const share = (part: number) => Math.max(1, Math.floor(total * part));
  return {
    total,
    perOrigin: env.PROXY_CONCURRENCY_PER_ORIGIN_MAX ?? share(1 / 2),
    perConnection: env.PROXY_CONCURRENCY_PER_CONNECTION_MAX ?? share(1 / 8),
    perUser: env.PROXY_CONCURRENCY_PER_USER_MAX ?? share(1 / 4),
    perProject: env.PROXY_CONCURRENCY_PER_PROJECT_MAX ?? share(3 / 4),
  };
}

function proxyUrlFrom(text: string | undefined, publicUrl: string): string | undefined {
  if (text === undefined) return undefined;
  const proxyUrl = originFrom('PROXY_URL', text);
  if (proxyUrl !== publicUrl) return proxyUrl;
  throw new ConfigurationError(
    'PROXY_URL: another origin than PUBLIC_URL, best on a host of its own; leave it out to share that one',
  );
}

function originFrom(variable: 'PUBLIC_URL' | 'PROXY_URL', text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fault = (expected: string) => new ConfigurationError(`${variable}: ${expected}`);
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw fault('an absolute http(s) URL');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw fault('no user name, query or fragment');
  }
  if (url.pathname !== '/') throw fault('no path: the gateway needs an origin of its own');
  if (url.protocol === 'http:' && !LOOPBACK_HOSTS.has(url.hostname)) {
    throw fault('https is required unless the host is localhost, 127.0.0.1 or [::1]');
  }
  return url.origin;
}

function catalogDirFrom(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const directory = resolve(text);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return directory;
  throw new ConfigurationError(`CATALOG_DIR: a directory of provider files; ${directory} is none`);
}

const NAMED_RANGES = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** A hop count, or a comma-separated list of addresses and CIDR ranges (or Express's named ranges). */
function trustProxyFrom(text: string | undefined): number | string[] | false {
  if (text === undefined || text === 'false') return false;
  if (/^\d+$/.test(text)) return Number(text);
  const ranges = text.split(',').map((range) => range.trim());
  if (ranges.every((range) => NAMED_RANGES.has(range) || isAddressRange(range))) return ranges;
  throw new ConfigurationError(
    'TRUST_PROXY: a hop count, or a comma-separated list of addresses or CIDR ranges',
  );
}

function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}
