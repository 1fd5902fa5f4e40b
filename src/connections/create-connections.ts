import type { Endpoint } from '../http/endpoint.ts';
import type { Kit } from '../platform/kit.ts';
import { type ConnectionsDependencies, createConnectionsEndpoints } from './connections.router.ts';
import { createConnectionsStore } from './connections.store.ts';
import { createPrepareImport } from './import-connection.ts';
import { createProveImport } from './prove-import.ts';

/** What only the endpoints need of other rooms. */
type EndpointsInput = Omit<ConnectionsDependencies, 'db' | 'connections' | 'prepareImport' | 'publicUrl'> &
  Omit<Parameters<typeof createPrepareImport>[0], 'connections' | 'proveImport'> &
  Omit<Parameters<typeof createProveImport>[0], 'outbound'>;

/** Builds the connections: what end users granted to integrations. */
export function createConnections(input: Pick<Kit, 'db' | 'vault' | 'outbound' | 'publicUrl'>) {
  const connections = createConnectionsStore(input);
  return {
    connections,
    endpoints(above: EndpointsInput): Endpoint[] {
      const deps = { ...input, ...above, connections };
      const proveImport = createProveImport(deps);
      return createConnectionsEndpoints({
        ...deps,
        prepareImport: createPrepareImport({ ...deps, proveImport }),
      });
    },
  };
}
