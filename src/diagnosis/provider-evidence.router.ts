import { type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Access } from '../projects/access.ts';
import { projectParams } from './diagnosis.schema.ts';
import { evidenceQuery, providerEvidenceSchema } from './provider-evidence.schema.ts';
import type { ProviderEvidenceStore } from './provider-evidence.store.ts';

/** What worked at providers, for the project's own operators, and as a file that can be contributed to the catalog. */
export function createProviderEvidenceEndpoint(deps: {
  readonly access: Access;
  readonly store: Pick<ProviderEvidenceStore, 'list'>;
  flush(): Promise<void>;
}): Endpoint {
  return endpoint({
    operationId: 'listProviderEvidence',
    method: 'get',
    path: '/projects/{projectId}/provider-evidence',
    summary: 'Show what worked at providers',
    description:
      'How often authorizations, refreshes, probes, signatures of webhooks and polls succeeded in this project, by provider and version of its description: counts and dates alone. Nothing of it leaves the gateway by itself.',
    tag: 'Diagnosis',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'integrations:read',
    params: projectParams,
    query: evidenceQuery,
    success: { status: 200, schema: providerEvidenceSchema, description: 'What worked' },
    errors: ['project_not_found'],
    async handler({ principal, params, query }) {
      await deps.access.requireProjectAccess(principal, params.projectId, 'read');
      await deps.flush();
      const found = await deps.store.list(params.projectId, query.provider);
      const data = found.map(({ firstAt, lastAt, ...rest }) => ({
        ...rest,
        firstAt: firstAt.toISOString(),
        lastAt: lastAt.toISOString(),
      }));
      return { body: { data } };
    },
  });
}
