import type { Provider } from '../catalog/provider.schema.ts';
import { prepareConnection } from '../credentials/warm-connection.ts';
import { HttpError } from '../http/errors.ts';
import type { ProviderRequest } from '../providers/custom-providers.schema.ts';
import { credentialField } from '../proxy/credential-field.ts';
import { outgoingFields, readFields } from '../proxy/headers.ts';
import { hostField, upstreamTarget } from '../proxy/upstream.ts';
import { type Samples, shownRequest } from './requests.ts';

const TARGET = { rawPath: '/example', rawQuery: '?page=1' };

/** What a proxied `GET /example?page=1` would be at the provider; null where it could not be made. */
export function exampleCall(provider: Provider, samples: Samples): ProviderRequest | null {
  const { standIns, variables, credentials } = samples;
  try {
    const { resolved, credential } = prepareConnection(
      provider,
      '',
      {},
      {
        connectionId: '',
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
    const { apiBase, placement, apiHeaders, apiQuery } = resolved;
    const pathname = upstreamTarget(TARGET, apiBase, placement, credential, apiQuery);
    const reading = credentialField({ in: 'scheme' }, placement, credential);
    if (pathname === undefined || reading.kind === 'fault') return null;
    const token = standIns.of('user token');
    const fields = outgoingFields(readFields(['Host', 'gateway', 'Authorization', `Bearer ${token}`], []), {
      host: hostField(apiBase),
      credential: reading.field,
      apiHeaders,
      token,
      method: 'GET',
    });
    return shownRequest(standIns, { url: `${apiBase.origin}${pathname}`, headers: recordOf(fields) });
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
