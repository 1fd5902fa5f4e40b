import { readUserMandate } from '../mandates/read-user-mandate.ts';
import { callHeld, doorFields } from '../proxy/call-held.ts';
import type { Proxy as ProxyEngine } from '../proxy/proxy.router.ts';
import type { Approval, StoredCall } from './approval.ts';

const ANSWER_BYTES_MAX = 256 * 1024;
/** The page waits no longer for what it can do without. */
const WAIT_MS = 5_000;

/** The answer to a GET of the path, where it is whole; undefined otherwise. */
export type ReadRecord = (
  approval: Pick<Approval, 'projectId' | 'userId' | 'provider' | 'connectionId'>,
  call: Pick<StoredCall, 'host' | 'path' | 'query' | 'organization'>,
) => Promise<Buffer | undefined>;

/** Reads through the proxy as the user, with the connection of the call and under a mandate that allows reading alone. */
export function createReadRecord(deps: {
  readonly proxy: Pick<ProxyEngine, 'enter'>;
  readonly host: string;
}): ReadRecord {
  return async ({ projectId, userId, provider, connectionId }, { host, path, query, organization }) => {
    const place = host === null ? provider : `${provider}~${host}`;
    const mandate = readUserMandate([{ type: 'gateway_access', provider, connectionId, access: 'read' }]);
    // The member reads with what is the organization's, and manages nothing.
    const membership = organization === null ? undefined : { organization, managesConnections: false };
    const { status, fields, body, end } = await callHeld(
      deps.proxy,
      {
        method: 'GET',
        url: `/projects/${projectId}/proxy/${place}${path}${query}`,
        rawHeaders: [
          ...doorFields(deps.host),
          ...['Accept', 'application/json', 'Gateway-Connection', connectionId],
        ],
        body: undefined,
      },
      {
        door: { user: { projectId, subject: userId, membership }, token: 'door', mandate },
        bytesMax: ANSWER_BYTES_MAX,
        signal: AbortSignal.timeout(WAIT_MS),
      },
    );
    const isRecord = status === 200 && end === 'whole' && !fields.has('gateway-error');
    return isRecord ? body : undefined;
  };
}
