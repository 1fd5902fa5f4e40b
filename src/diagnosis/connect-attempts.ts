import type { z } from 'zod';
import type { Integration } from '../integrations/integration.ts';
import type { SignInFailure, SignInsStore } from './connect-attempts.store.ts';
import { findingOfFailure } from './connect-failure-findings.ts';
import type { connectAttemptsSchema } from './diagnosis.schema.ts';
import type { ContextOf } from './integration-context.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const FAILURES_MAX = 100;

export type ConnectAttempts = (
  integration: Integration,
  days: number,
) => Promise<z.input<typeof connectAttemptsSchema>>;

/** The funnel of an integration’s connect attempts, with the last failures and what to do about each. */
export function createConnectAttempts(deps: {
  store: SignInsStore;
  contextOf: ContextOf;
  now(): number;
}): ConnectAttempts {
  return async (integration, days) => {
    const from = new Date(deps.now() - days * DAY_MS);
    const [counts, failures, context] = await Promise.all([
      deps.store.count(integration, from),
      deps.store.failures(integration, from, FAILURES_MAX),
      deps.contextOf(integration),
    ]);
    const { opened, sentToProvider, cameBack, completed } = counts;
    return {
      from: from.toISOString(),
      opened,
      sentToProvider,
      cameBack,
      completed,
      failures: failures.map((failure) => wireOf(failure, context)),
    };
  };
}

function wireOf(failure: SignInFailure, context: Parameters<typeof findingOfFailure>[1]) {
  const at = failure.at.toISOString();
  const { code, title, remedy } = findingOfFailure({ ...failure, at }, context);
  return {
    code,
    title,
    remedy,
    requestId: failure.requestId,
    at,
    userId: failure.userId,
    connectSessionId: failure.connectSessionId,
    error: failure.error,
    providerCode: failure.providerCode ?? null,
    providerWords: failure.providerWords ?? null,
  };
}
