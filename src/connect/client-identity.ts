import { templateValues } from '../catalog/facts/template-values.ts';
import type { TokenEndpoint } from '../oauth/token-endpoint.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { Target } from './connect-flow.ts';

/** A person waits for the page; without the answer it shows the rest. */
const TIMEOUT_MS = 3_000;
const KEPT_MS = 60 * 60_000;
/** A provider that did not say is not asked again for every page. */
const UNKNOWN_MS = 60_000;
const KEPT_MAX = 1_000;

type Kept = { readonly value: string | undefined; readonly untilMs: number };
type Asked = Pick<Target, 'provider' | 'integration' | 'known'>;

export type ReadClientIdentity = (target: Asked) => Promise<string | undefined>;

/**
 * Who the integration's client is at its provider, where users' accounts have to let in that one (`login.identity`); kept
 * for an hour by client. Undefined where the entry asks for none, or the provider does not say.
 */
export function createReadClientIdentity(deps: {
  readonly tokenEndpoint: Pick<TokenEndpoint, 'identify'>;
  clientOf(integration: Target['integration']): Promise<OAuthClient>;
  now(): number;
}): ReadClientIdentity {
  const kept = new Map<string, Kept>();

  async function ask({ provider, integration, known }: Asked): Promise<string | undefined> {
    const client = await deps.clientOf(integration);
    const variables = templateValues({ before: known });
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return deps.tokenEndpoint.identify({ provider, client, variables, scopes: [], signal });
  }

  return async (target) => {
    const { provider, integration } = target;
    if (provider.login?.identity === undefined || integration.clientId === null) return undefined;
    const key = `${integration.id} ${integration.version} ${integration.clientId}`;
    const found = kept.get(key);
    if (found !== undefined && deps.now() < found.untilMs) return found.value;
    const value = await ask(target);
    kept.delete(key);
    kept.set(key, { value, untilMs: deps.now() + (value === undefined ? UNKNOWN_MS : KEPT_MS) });
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}
