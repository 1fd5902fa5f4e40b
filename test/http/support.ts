import express, { type Express, type RequestHandler } from 'express';
import { type ApiRouterDeps, createApiRouter } from '../../src/http/api-router.ts';
import { createErrorHandler, HttpError } from '../../src/http/errors.ts';
import type { Authenticate, Principal } from '../../src/http/principal.ts';
import { createRequestLog } from '../../src/http/request-log.ts';
import { createLogger, type Logger } from '../../src/platform/logger.ts';
import { NO_MAILER } from '../../src/platform/mailer.ts';

export const PUBLIC_URL = 'https://gateway.example';
/** What a sign-in is composed of, besides the store: no mails, no single sign-on. */
export const SIGN_IN = {
  publicUrl: PUBLIC_URL,
  oidc: undefined,
  allowPrivateNetworks: false,
  personalAccessTokenDaysMax: 365,
  outbound: { request: () => Promise.reject(new Error('nothing is called from here')) },
  joinEveryProject: async () => [],
  endInvitations: async () => undefined,
  mailer: NO_MAILER,
  now: Date.now,
  log: { warn: () => undefined },
};
export const PROJECT_ID = '01890000-0000-7000-8000-000000000001';

const PRINCIPALS: Readonly<Record<string, Principal>> = {
  operator: { kind: 'operator', operatorId: '01890000-0000-7000-8000-00000000000a' },
  key: {
    kind: 'api_key',
    apiKeyId: '01890000-0000-7000-8000-00000000000b',
    projectId: PROJECT_ID,
    scopes: ['*'],
  },
  user: {
    kind: 'end_user',
    projectId: PROJECT_ID,
    endUserId: '01890000-0000-7000-8000-00000000000c',
    subject: 'customer-17',
  },
};

/** Takes the bearer tokens `operator`, `key` and `user`; `old` has expired. */
export const authenticate: Authenticate = async ({ headers }) => {
  if (headers.authorization === undefined) throw new HttpError('token_missing');
  const name = headers.authorization.replace('Bearer ', '');
  if (name === 'old') throw new HttpError('token_expired');
  const principal = PRINCIPALS[name];
  if (!principal) throw new HttpError('token_invalid');
  return principal;
};

export type CapturedLog = { log: Logger; lines: Record<string, unknown>[]; text: () => string };

/** A logger whose lines can be read. */
export function captureLog(): CapturedLog {
  const texts: string[] = [];
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    level: 'debug',
    destination: {
      write(line) {
        texts.push(line);
        lines.push(JSON.parse(line));
      },
    },
  });
  return { log, lines, text: () => texts.join('') };
}

/** An app as the gateway is put together, with only the given endpoints, and other routers behind them. */
export function createTestApp(
  endpoints: ApiRouterDeps['endpoints'],
  deps: Partial<ApiRouterDeps> = {},
  ...others: RequestHandler[]
): CapturedLog & { app: Express } {
  const captured = captureLog();
  const app = express();
  app.disable('x-powered-by');
  app.use(createRequestLog({ log: captured.log }));
  app.use(
    '/v1',
    createApiRouter({ endpoints, authenticate, publicUrl: PUBLIC_URL, log: captured.log, ...deps }),
  );
  for (const other of others) app.use(other);
  app.use(() => {
    throw new HttpError('not_found');
  });
  app.use(createErrorHandler({ publicUrl: PUBLIC_URL, log: captured.log }));
  return { app, ...captured };
}
