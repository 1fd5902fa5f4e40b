import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { LogLevel } from './platform/logger.ts';
import { ConfigurationError } from './settings/configuration-error.ts';
import { type Environment, environment } from './settings/environment.ts';
import { type KmsSettings, kmsFrom } from './settings/kms.ts';
import { findMistyped } from './settings/mistyped.ts';
import { type OidcConfig, oidcFrom } from './settings/oidc.ts';
import { originFrom, proxyUrlFrom, webhookUrlFrom } from './settings/origins.ts';
import { readSecretFiles } from './settings/secret-files.ts';
import { TELEMETRY_VARIABLES, type TelemetryConfig, telemetryFrom } from './settings/telemetry.ts';
import { trustProxyFrom } from './settings/trust-proxy.ts';

const HOUR_MS = 3_600_000;
export type Config = Readonly<{
  port: number;
  host: string;
  publicUrl: string;
  /** The origin on which the proxy alone answers; undefined where it shares `publicUrl`. */
  proxyUrl: string | undefined;
  /** The webhooks' own origin; undefined where it is `publicUrl`. */
  webhookUrl: string | undefined;
  databaseUrl: string | undefined;
  databaseDirectUrl: string | undefined;
  databasePoolMax: number;
  /** Undefined: processes meet in Postgres alone. */
  valkeyUrl: string | undefined;
  /** Carries notices in the place of Valkey. */
  natsUrl: string | undefined;
  dataDir: string;
  encryptionKeys: string | undefined;
  /** Undefined: no key management service wraps the keys. */
  kms: KmsSettings | undefined;
  setupToken: string | undefined;
  catalogDir: string | undefined;
  /** Where `take-catalog` puts a newer catalog, and gateways that run find it. */
  catalogTakenDir: string;
  allowPrivateNetworks: boolean;
  workers: number;
  trustProxy: number | string[] | false;
  metricsPort: number | undefined;
  logLevel: LogLevel;
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
  /** How long a personal access token of an operator may live at most. */
  personalAccessTokenDaysMax: number;
  /** What one operator, project or end user may have; 0 in the last three: as much as they like. */
  tenancy: Readonly<{
    projectCreation: 'any' | 'owner';
    projectsPerOperatorMax: number;
    apiKeysPerProjectMax: number;
    integrationsPerProjectMax: number;
    storedBytesPerProjectMax: number;
    storedRowsPerProjectMax: number;
    connectSessionsPerUserPerHour: number;
  }>;
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
  /**
   * Started on a restored backup: nothing is refreshed, delivered or polled until an owner resumes it. The text names the
   * restore, where it is not `true`.
   */
  restored: string | undefined;
  /** Started by `npm run demo`. */
  isDemo: boolean;
  /** Undefined: operators sign in with passwords only. */
  oidc: OidcConfig | undefined;
  /** Undefined: no mails are sent. */
  smtp: Readonly<{ url: string; from: string }> | undefined;
  /** Undefined: no variable of OpenTelemetry switches it on. */
  telemetry: TelemetryConfig | undefined;
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
  const variables = { ...merged, ...readSecretFiles(merged, directory) };
  const parsed = environment.safeParse(variables);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigurationError(`The configuration has faults:\n  ${faults.join('\n  ')}`);
  }
  const telemetry = telemetryFrom(variables, directory);
  return Object.freeze({ ...configFrom(parsed.data, variables), telemetry });
}

/** Variables of the environment and of `.env` that are nearly called like one that is not set. */
export function findMistypedVariables(
  env: NodeJS.ProcessEnv = process.env,
  directory: string = process.cwd(),
): ReturnType<typeof findMistyped> {
  const file = resolve(directory, '.env');
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  const known = [...Object.keys(environment.shape), ...TELEMETRY_VARIABLES];
  return findMistyped(Object.keys({ ...fromFile, ...env }), known);
}

function configFrom(
  env: Environment,
  variables: Readonly<Record<string, string | undefined>>,
): Omit<Config, 'telemetry'> {
  if (env.DATABASE_DIRECT_URL !== undefined && env.DATABASE_URL === undefined) {
    throw new ConfigurationError('DATABASE_DIRECT_URL is of use only beside DATABASE_URL, which is not set.');
  }
  const kms = kmsFrom(env, variables);
  if (env.DATABASE_URL !== undefined && env.ENCRYPTION_KEYS === undefined && kms === undefined) {
    throw new ConfigurationError(
      'ENCRYPTION_KEYS or ENCRYPTION_KMS is needed with DATABASE_URL: id:base64(32 bytes), for example ' +
        'k1:$(openssl rand -base64 32). Keep it apart from the database: without it the stored credentials cannot be read.',
    );
  }
  const publicUrl = originFrom('PUBLIC_URL', env.PUBLIC_URL ?? `http://localhost:${env.PORT}`);
  const proxyUrl = proxyUrlFrom(env.PROXY_URL, publicUrl);
  return {
    port: env.PORT,
    host: env.HOST,
    publicUrl,
    proxyUrl,
    webhookUrl: webhookUrlFrom(env.WEBHOOK_URL, { publicUrl, proxyUrl }),
    databaseUrl: env.DATABASE_URL,
    databaseDirectUrl: env.DATABASE_DIRECT_URL,
    databasePoolMax: env.DATABASE_POOL_MAX,
    valkeyUrl: env.VALKEY_URL,
    natsUrl: env.NATS_URL,
    dataDir: resolve(env.DATA_DIR),
    encryptionKeys: env.ENCRYPTION_KEYS,
    kms,
    setupToken: env.SETUP_TOKEN,
    catalogDir: catalogDirFrom(env.CATALOG_DIR),
    catalogTakenDir: resolve(env.CATALOG_TAKEN_DIR ?? join(env.DATA_DIR, 'catalog')),
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
    personalAccessTokenDaysMax: env.PERSONAL_ACCESS_TOKEN_DAYS_MAX,
    tenancy: {
      projectCreation: env.PROJECT_CREATION,
      projectsPerOperatorMax: env.PROJECTS_PER_OPERATOR_MAX,
      apiKeysPerProjectMax: env.API_KEYS_PER_PROJECT_MAX,
      integrationsPerProjectMax: env.INTEGRATIONS_PER_PROJECT_MAX,
      storedBytesPerProjectMax: env.PROJECT_STORAGE_MIB_MAX * 1024 * 1024,
      storedRowsPerProjectMax: env.PROJECT_STORAGE_ROWS_MAX,
      connectSessionsPerUserPerHour: env.CONNECT_SESSIONS_PER_USER_PER_HOUR,
    },
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
    restored: env.RESTORED,
    isDemo: env.DEMO,
    oidc: oidcFrom(env),
    smtp: smtpFrom(env, publicUrl),
  };
}

function smtpFrom(env: Environment, publicUrl: string): Config['smtp'] {
  if (env.SMTP_URL === undefined) {
    if (env.SMTP_FROM === undefined) return undefined;
    throw new ConfigurationError('SMTP_FROM is of use only beside SMTP_URL, which is not set.');
  }
  const from = env.SMTP_FROM ?? `Integration Gateway <no-reply@${new URL(publicUrl).hostname}>`;
  return { url: env.SMTP_URL, from };
}

/** Default shares of PROXY_CONCURRENCY_MAX, so that no caller can take every slot of a process. */
function concurrencyFrom(env: Environment): Config['proxy']['concurrency'] {
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

function catalogDirFrom(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const directory = resolve(text);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return directory;
  throw new ConfigurationError(`CATALOG_DIR: a directory of provider files; ${directory} is none`);
}
