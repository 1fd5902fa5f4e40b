import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { DryRun } from '../providers/custom-providers.schema.ts';
import { dryRunDiscovery } from './discovery.ts';
import { buildExampleCall } from './example-call.ts';
import { dryRunOAuth } from './requests.ts';
import { readSamples } from './samples.ts';

/**
 * Everything that a provider would be sent, from the first authorization to a proxied call. Sends nothing, but asks an
 * MCP server for its metadata where it is given a way to.
 */
export async function dryRun(
  described: Provider,
  publicUrl: string,
  asking?: { readonly outbound: Outbound; readonly allowHttp: boolean },
): Promise<DryRun> {
  const samples = await readSamples(described);
  const found = asking && (await dryRunDiscovery({ ...asking, publicUrl }, described, samples));
  const provider = found?.provider ?? described;
  const requests = await dryRunOAuth(provider, samples, publicUrl);
  return {
    requests: {
      registration: found?.registration ?? null,
      ...requests,
      call: buildExampleCall(provider, samples),
    },
    discovery: found?.discovery ?? null,
    notes: samples.notes,
  };
}
