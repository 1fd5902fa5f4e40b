import type { Provider } from '../catalog/schema/provider.schema.ts';
import { prepareConnection } from '../credentials/calling/warm-connection.ts';
import { HttpError } from '../http/errors.ts';
import type { ProviderRequest } from '../providers/custom-providers.schema.ts';
import { providerRequest } from '../proxy/provider-request.ts';
import { readFields } from '../proxy/request-fields.ts';
import { showRequest } from './requests.ts';
import type { Samples } from './samples.ts';

const TARGET = { rawPath: '/example', rawQuery: '?page=1' };

/** What a proxied `GET /example?page=1` would be at the provider; null where it could not be made. */
export function buildExampleCall(provider: Provider, samples: Samples): ProviderRequest | null {
  const { standIns, variables, credentials } = samples;
  try {
    const { resolved, credential } = prepareConnection(
      provider,
      '',
      {},
      {
        connectionId: '',
        endUserId: '',
        integrationId: '',
        status: 'active',
        variables,
        credentials: { values: credentials, refreshToken: null },
        version: 1,
        expiresInMs: null,
        lifetimeSeconds: null,
      },
      { spread: 0, nowMs: 0 },
    );
    const token = standIns.of('user token');
    const fields = readFields(['Host', 'gateway', 'Authorization', `Bearer ${token}`], []);
    const made = providerRequest({
      method: 'GET',
      target: TARGET,
      fields,
      connection: resolved,
      apiBase: resolved.apiBase,
      credential,
      token,
    });
    if (made === undefined) return null;
    const url = `${resolved.apiBase.origin}${made.pathname}`;
    return showRequest(standIns, { url, headers: recordOf(made.fields) });
  } catch (error) {
    if (error instanceof HttpError) return null;
    throw error;
  }
}

function recordOf(fields: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {};
  for (let index = 0; index + 1 < fields.length; index += 2)
    record[fields[index] ?? ''] = fields[index + 1] ?? '';
  return record;
}
