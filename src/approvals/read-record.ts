import { readUserMandate } from '../mandates/read-user-mandate.ts';
import { createHeldRequest, HeldResponse } from '../platform/held-exchange.ts';
import type { Proxy as ProxyEngine } from '../proxy/proxy.router.ts';
import type { Approval, StoredCall } from './approval.ts';

const ANSWER_BYTES_MAX = 256 * 1024;
/** The page waits no longer for what it can do without. */
const WAIT_MS = 5_000;

/** The answer to a GET of the path, where it is whole; undefined otherwise. */
export type ReadRecord = (
  approval: Pick<Approval, 'projectId' | 'userId' | 'provider' | 'connectionId'>,
  call: Pick<StoredCall, 'host' | 'path' | 'query'>,
) => Promise<Buffer | undefined>;

/** Reads through the proxy as the user, with the connection of the call and under a mandate that allows reading alone. */
export function createReadRecord(deps: {
  readonly proxy: Pick<ProxyEngine, 'enter'>;
  readonly host: string;
}): ReadRecord {
  return ({ projectId, userId, provider, connectionId }, { host, path, query }) =>
    new Promise((resolve) => {
      const place = host === null ? provider : `${provider}~${host}`;
      const request = createHeldRequest({
        method: 'GET',
        url: `/projects/${projectId}/proxy/${place}${path}${query}`,
        rawHeaders: [
          // Stands where the proxy puts the provider's credential.
          ...['Host', deps.host, 'Authorization', 'Bearer door'],
          ...['Accept', 'application/json', 'Accept-Encoding', 'identity'],
          ...['User-Agent', 'integration-gateway', 'Gateway-Connection', connectionId],
        ],
        body: undefined,
      });
      const signal = AbortSignal.timeout(WAIT_MS);
      const leave = (): void => {
        response.destroy();
        resolve(undefined);
      };
      const response = new HeldResponse(request, ANSWER_BYTES_MAX, ({ status, fields, body, end }) => {
        signal.removeEventListener('abort', leave);
        const isRecord = status === 200 && end === 'whole' && !fields.has('gateway-error');
        resolve(isRecord ? body : undefined);
      });
      signal.addEventListener('abort', leave, { once: true });
      const mandate = readUserMandate([{ type: 'gateway_access', provider, connectionId, access: 'read' }]);
      deps.proxy.enter(request, response, {
        user: { projectId, subject: userId },
        token: 'door',
        mandate,
      });
    });
}
