import { z } from 'zod';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Of an operator in a project. */
export const ROLES = ['owner', 'admin', 'viewer'] as const;

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
const DAY_SECONDS = 86_400;
/** Some 24 days: a timer of Node that is set for longer ends at once. */
const TIMER_MS_MAX = 2_147_483_647;
const TIMER_SECONDS_MAX = Math.floor(TIMER_MS_MAX / 1_000);
const wait = (fallback: number, least: number, most: number) =>
  wholeNumber(least, most, `a whole number from ${least} to ${most}`).default(fallback);
const milliseconds = (fallback: number, least = 1) => wait(fallback, least, TIMER_MS_MAX);
/** Three requests, by a second secret and an exchange, end before other processes take a one-use token's answer for lost. */
const TOKEN_REQUEST_MS_MAX = 200_000;
const port = wholeNumber(0, 65_535, 'a whole number from 0 to 65535');
const flag = z
  .enum(['true', 'false', '1', '0'], 'true or false')
  .default('false')
  .transform((value) => value === 'true' || value === '1');

/** Any other word than a flag's names one restore among several of one store. */
const restored = z
  .string()
  .regex(/^[\w.:-]{1,64}$/, 'true or false, or a name for one restore: letters, digits, and . _ : -')
  .default('false')
  .transform((value) => {
    if (value === 'false' || value === '0') return undefined;
    return value === '1' ? 'true' : value;
  });

const postgresUrl = z.string().regex(/^postgres(ql)?:\/\//, 'a postgresql:// URL');

/** Whether user and password can be read out of a URL, which a percent sign of their own makes impossible. */
function isDecodable(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  try {
    for (const part of [url.username, url.password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

const valkeyUrl = z
  .string()
  .regex(
    /^(?:valkey|redis)s?:\/\/\S+$/,
    'a valkey:// or valkeys:// URL; redis:// and rediss:// mean the same',
  )
  .refine(isDecodable, 'a URL; percent-encode what its user or password has of @ : / and %')
  .transform((text) => text.replace(/^valkey/, 'redis'));

const natsUrl = z
  .string()
  .regex(/^(?:nats|tls):\/\/\S+$/, 'a nats:// or tls:// URL')
  .refine(isDecodable, 'a URL; percent-encode what its user or password has of @ : / and %');

/** Every variable that the gateway reads, with its default. `.env.example` explains each in a sentence. */
export const environment = z.object({
  PORT: port.default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  PUBLIC_URL: z.string().optional(),
  PROXY_URL: z.string().optional(),
  WEBHOOK_URL: z.string().optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_DIRECT_URL: postgresUrl.optional(),
  DATABASE_POOL_MAX: count(10, 2),
  VALKEY_URL: valkeyUrl.optional(),
  NATS_URL: natsUrl.optional(),
  DATA_DIR: z.string().min(1).default('./data'),
  ENCRYPTION_KEYS: z.string().optional(),
  ENCRYPTION_KMS: z.string().optional(),
  ENCRYPTION_KMS_CONTEXT: z.string().optional(),
  SETUP_TOKEN: z.string().min(1).optional(),
  CATALOG_DIR: z.string().optional(),
  CATALOG_TAKEN_DIR: z.string().min(1).optional(),
  ALLOW_PRIVATE_NETWORKS: flag,
  WEB_CONCURRENCY: count(1, 1),
  TRUST_PROXY: z.string().optional(),
  METRICS_PORT: port.optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`).default('info'),
  SHUTDOWN_DELAY_MS: wholeNumber(0, 3_600_000, 'a whole number, 0 to 3600000').optional(),
  SHUTDOWN_TIMEOUT_MS: milliseconds(30_000, 0),
  PROXY_REQUEST_BODY_BYTES_MAX: count(100 * 1024 * 1024),
  PROXY_CONNECT_TIMEOUT_MS: milliseconds(5_000),
  PROXY_FIRST_BYTE_TIMEOUT_MS: milliseconds(60_000),
  PROXY_IDLE_TIMEOUT_MS: milliseconds(60_000),
  PROXY_SOCKETS_PER_ORIGIN_MAX: count(512, 1),
  PROXY_TIMEOUT_MAX_SECONDS: wait(1_800, 1, TIMER_SECONDS_MAX),
  PROXY_CONCURRENCY_MAX: count(10_000, 1),
  PROXY_CONCURRENCY_PER_ORIGIN_MAX: atLeastOne.optional(),
  PROXY_CONCURRENCY_PER_CONNECTION_MAX: atLeastOne.optional(),
  PROXY_CONCURRENCY_PER_USER_MAX: atLeastOne.optional(),
  PROXY_CONCURRENCY_PER_PROJECT_MAX: atLeastOne.optional(),
  RATE_LIMIT_MANAGEMENT_PER_MINUTE: count(3_000),
  RATE_LIMIT_PROXY_PER_MINUTE: count(60_000),
  RATE_LIMIT_FAILED_AUTHENTICATION_PER_MINUTE: count(300),
  RATE_LIMIT_CONNECT_PER_MINUTE: count(1_000),
  TOKEN_REQUEST_TIMEOUT_MS: wait(10_000, 1, TOKEN_REQUEST_MS_MAX),
  PROJECT_CREATION: z.enum(['any', 'owner'], 'any or owner').default('any'),
  PROJECTS_PER_OPERATOR_MAX: count(200, 1),
  API_KEYS_PER_PROJECT_MAX: count(200, 1),
  INTEGRATIONS_PER_PROJECT_MAX: count(1_000, 1),
  PROJECT_STORAGE_MIB_MAX: count(10_240),
  PROJECT_STORAGE_ROWS_MAX: count(20_000_000),
  CONNECT_SESSIONS_PER_USER_PER_HOUR: count(500),
  ACTIVITY_KEEP_DAYS: days.default(400),
  PERSONAL_ACCESS_TOKEN_DAYS_MAX: days.default(365),
  STATS_MINUTES_KEEP_HOURS: wholeNumber(1, 168, 'a whole number from 1 to 168').default(12),
  STATS_HOURS_KEEP_DAYS: wholeNumber(2, 400, 'a whole number from 2 to 400').default(21),
  STATS_DAYS_KEEP_DAYS: days.default(400),
  EVENT_DESTINATIONS_AT_ONCE: wholeNumber(1, 1_000, 'a whole number from 1 to 1000').default(100),
  EVENTS_KEEP_DAYS: wholeNumber(1, 365, 'a whole number from 1 to 365').default(30),
  CALLS_KEEP_DAYS: wholeNumber(1, 90, 'a whole number from 1 to 90').default(7),
  CALLS_KEEP_PER_PROJECT_MAX: wholeNumber(2, 100_000, 'a whole number from 2 to 100000').default(5_000),
  CALLS_SLOW_MS: count(3_000, 1),
  CONNECT_SESSION_LIFETIME_SECONDS: wait(600, 10, 30 * DAY_SECONDS),
  CONNECT_SWEEP_INTERVAL_SECONDS: wait(20, 1, TIMER_SECONDS_MAX),
  RESTORED: restored,
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

export type Environment = z.infer<typeof environment>;
