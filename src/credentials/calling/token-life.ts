import { templateValues } from '../../catalog/facts/template-values.ts';
import { HttpError } from '../../http/errors.ts';
import type { Credential } from '../../proxy/contract.ts';
import type { AccessTokens } from '../refreshing/access-tokens.ts';
import type { CredentialState } from '../refreshing/credential-state.store.ts';
import { isRenewable } from '../refreshing/refresh-method.ts';
import type { RefreshRefusal, RefreshResult } from '../refreshing/refresh-result.ts';
import type { RefusedCalls } from './refused-calls.ts';
import {
  readApiFields,
  readCallValues,
  refreshSchedule,
  refreshTarget,
  type WarmConnection,
} from './warm-connection.ts';

/** A token that lives no longer than this is not sent while a newer one may be had. */
export const LIFE_MS_MIN = 15_000;

/** The credential of a connection after a refresh, or why it has no newer one. */
export type Renewal = { readonly ok: true; readonly credential: Credential } | RefreshRefusal;

export type TokenLife = ReturnType<typeof createTokenLife>;

/**
 * Follows the access token of a connection in memory, for the proxy and for the gateway's own calls. Refusals are
 * returned; errors of the store are thrown.
 */
export function createTokenLife(deps: {
  accessTokens: Pick<AccessTokens, 'refresh' | 'refreshAfter401'>;
  /** Called with credentials that the provider refuses and that cannot be renewed; must return at once. */
  refusedCalls?: Pick<RefusedCalls, 'note'>;
  now(): number;
}) {
  const { accessTokens } = deps;

  function renew(warm: WarmConnection, result: RefreshResult): Renewal {
    if (!result.ok) return result;
    adoptState(warm, result.state, deps.now());
    return { ok: true, credential: warm.credential };
  }

  return {
    /** A credential newer than the one in memory. */
    async refresh(warm: WarmConnection): Promise<Renewal> {
      return renew(warm, await accessTokens.refresh(refreshTarget(warm)));
    },

    /** The same after the provider refused `used`. Null: no refresh is possible or allowed now, so its answer stands. */
    async refreshAfter401(warm: WarmConnection, used: Credential): Promise<Renewal | null> {
      const { refreshMethod, resolved, credential, provider } = warm;
      if (!isRenewable(refreshMethod)) {
        const { connectionId, projectId } = resolved;
        deps.refusedCalls?.note({ connectionId, projectId, version: used.version }, provider);
        return null;
      }
      // Another call of the burst has brought the next one.
      if (credential.version !== used.version) return { ok: true, credential };
      const isByClient = refreshMethod !== 'refresh-token';
      const result = await accessTokens.refreshAfter401(refreshTarget(warm), { isByClient });
      return result && renew(warm, result);
    },
  };
}

/** Takes over credentials of the store that are newer than those in memory, with the provider's own refresh schedule. */
function adoptState(warm: WarmConnection, state: CredentialState, nowMs: number): void {
  if (state.version <= warm.credential.version) return;
  const known = templateValues({
    integration: warm.integrationValues,
    connection: state.variables,
    credentials: state.credentials.values,
  });
  const values = readCallValues(warm.provider, known);
  Object.assign(warm.resolved, readApiFields(warm.provider, values));
  Object.assign(warm, refreshSchedule(warm.provider, state, warm.spread, nowMs));
  warm.credential = { version: state.version, values };
}

/** A refusal of a refresh, as the caller gets it. */
export function toRefusalError(
  { code, retryAfterSeconds }: RefreshRefusal,
  extra?: { readonly connectionId: string },
): HttpError {
  return new HttpError(code, {
    ...(extra && { extra }),
    ...(retryAfterSeconds !== undefined && { headers: { 'Retry-After': String(retryAfterSeconds) } }),
  });
}
