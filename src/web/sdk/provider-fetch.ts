import { type Api, readError } from './api.ts';
import type { ProviderRequestInit } from './gateway.ts';

type Addresses = {
  readonly api: Api;
  /** The gateway's, without a slash at its end. */
  readonly base: string;
  readonly proxyUrl: string | undefined;
  readonly projectId: string;
};

/** Calls of providers' own APIs through the gateway. */
export function createProviderFetch({ api, base, proxyUrl, projectId }: Addresses) {
  let proxyBase = proxyUrl === undefined ? undefined : Promise.resolve(proxyUrl);

  /** Where proxied calls go; asked once, and again after a failure. */
  function findProxy(): Promise<string> {
    proxyBase ??= api.proxyUrl().catch((error: unknown) => {
      proxyBase = undefined;
      throw error;
    });
    return proxyBase;
  }

  /** As the platform resolves it. */
  const pathOf = (target: string) => new URL(base + target, globalThis.location?.href).pathname;

  return async (provider: string, path: string, init: ProviderRequestInit = {}): Promise<Response> => {
    const { connectionId, integrationId, ...rest } = init;
    const headers = new Headers(init.headers);
    if (connectionId) headers.set('gateway-connection', connectionId);
    if (integrationId) headers.set('gateway-integration', integrationId);
    const root = `/projects/${projectId}/proxy/${encodeURIComponent(provider)}/`;
    const target = root + path.replace(/^\//, '');
    // Browsers resolve `..` before they send: a path that holds user input must not lead to another API.
    if (!pathOf(target).startsWith(pathOf(root))) throw new TypeError('The path leads out of the API.');
    const response = await api.send((await findProxy()) + target, { ...rest, headers });
    if (response.headers.has('gateway-error')) throw await readError(response);
    return response;
  };
}
