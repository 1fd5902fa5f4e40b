import { templateValues } from '../../catalog/facts/template-values.ts';
import type { CredentialState } from './credential-state.store.ts';
import type { RefreshedTokens } from './refresh.store.ts';

type Held = { readonly state: CredentialState; readonly tokens: RefreshedTokens; readonly sinceMs: number };

/** Tokens that a provider has issued and the store has not taken yet: calls of this process may use them meanwhile. */
export function createHeldTokens({ now }: { now(): number }) {
  const held = new Map<string, Held>();

  return {
    hold(state: CredentialState, tokens: RefreshedTokens, sinceMs: number): void {
      held.set(state.connectionId, { state, tokens, sinceMs });
    },

    /** The store has them, or another change came first. */
    release(connectionId: string, tokens: RefreshedTokens): void {
      if (held.get(connectionId)?.tokens === tokens) held.delete(connectionId);
    },

    /** The credentials as the store will have them; undefined where none are held, or the access token has expired. */
    find(connectionId: string): CredentialState | undefined {
      const found = held.get(connectionId);
      if (found === undefined) return undefined;
      const { state, tokens, sinceMs } = found;
      const { expiresInSeconds } = tokens;
      const expiresInMs = expiresInSeconds === null ? null : expiresInSeconds * 1000 - (now() - sinceMs);
      if (expiresInMs !== null && expiresInMs <= 0) return undefined;
      return {
        ...state,
        version: state.version + 1,
        credentials: tokens.credentials,
        variables: templateValues({ connection: state.variables, reported: tokens.variables }),
        expiresAt: expiresInMs === null ? null : new Date(now() + expiresInMs),
        expiresInMs,
        lifetimeSeconds: expiresInSeconds,
      };
    },
  };
}
