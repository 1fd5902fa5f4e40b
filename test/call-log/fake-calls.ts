import { newRequestId } from '../../src/lib/ids.ts';
import type { ProxiedCall } from '../../src/proxy/contract.ts';

/** A finished call of an integration that went well. */
export function finishedCall(changes: Partial<ProxiedCall> & Pick<ProxiedCall, 'projectId'>): ProxiedCall {
  return {
    requestId: newRequestId(),
    provider: 'hubspot',
    connectionId: undefined,
    integrationId: undefined,
    endUserId: undefined,
    isOfOrganization: false,
    traceId: undefined,
    method: 'GET',
    path: '/crm/v3/objects/contacts',
    status: 200,
    error: undefined,
    refusal: undefined,
    durationMs: 120,
    providerMs: 119,
    requestBytes: 0,
    responseBytes: 10,
    mandates: [],
    actors: [],
    attempts: 1,
    ...changes,
  };
}
