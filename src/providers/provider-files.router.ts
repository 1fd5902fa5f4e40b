import type { z } from 'zod';
import { computeEvidence } from '../catalog/facts/evidence.ts';
import type { Catalog } from '../catalog/loading/catalog.ts';
import {
  type ProviderFault,
  type ProviderOptions,
  parseProviderFile,
  providerFromFile,
} from '../catalog/loading/provider-from-file.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { findCatalogGaps } from './catalog-gaps.ts';
import { completeDescription, providerFromDescription } from './custom-description.ts';
import type { DryRun } from './custom-providers.schema.ts';
import { createProviderFilesBody, providerFiles } from './provider-files.schema.ts';
import { arrangeFile, PROVIDER_FOLDER, TEST_FOLDER, writeFile, writeTest } from './write-provider-files.ts';

export type ProviderFilesDependencies = {
  readonly catalog: Pick<Catalog, 'find'>;
  readonly options: ProviderOptions;
  projectToChange(principal: Principal, asked: string | undefined): Promise<string>;
  /** What the provider would be sent as one of the catalog, with stand-ins for every secret. Sends nothing. */
  dryRunInCatalog(provider: Provider): Promise<DryRun>;
};

/** As for the catalog's own files, which are the same for every gateway. */
const STRICT = { allowPrivateNetworks: false, isProofNeeded: true } as const;

/** How a provider of one's own goes into the catalog of all: as a file and a test. */
export function createProviderFilesEndpoint(deps: ProviderFilesDependencies): Endpoint {
  return endpoint({
    operationId: 'createProviderFiles',
    method: 'post',
    path: '/provider-files',
    summary: 'Make the files that contribute a provider',
    description:
      'Takes the description of a provider and where its facts were found, and answers a file of the catalog and a test of it. The description is judged as the catalog’s files are. Nothing is stored or sent.',
    tag: 'Catalog',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    body: createProviderFilesBody,
    requestExample: EXAMPLE,
    changesNothing: true,
    success: { status: 200, schema: providerFiles, description: 'The two files' },
    errors: ['project_not_found'],
    async handler({ principal, body }) {
      await deps.projectToChange(principal, body.projectId);
      const description = completeDescription(body.description);
      const own = providerFromDescription(description, deps.options);
      if (!own.ok) throw refuse(own.faults);
      const file = arrangeFile(description, body.sources);
      const loaded = providerFromFile(file, STRICT);
      if (!loaded.ok) throw refuse(loaded.faults);
      const { provider } = loaded;
      const gaps = findCatalogGaps(provider);
      if (gaps.length > 0) throw refuse(gaps);
      if (deps.catalog.find(provider.id) !== undefined)
        throw refuse([{ path: ['id'], reason: 'is in the catalog: change its file instead' }]);
      const { requests, notes } = await deps.dryRunInCatalog(provider);
      const parsed = parseProviderFile(file);
      return {
        body: {
          provider: { path: `${PROVIDER_FOLDER}/${provider.id}.yaml`, content: writeFile(file) },
          test: { path: `${TEST_FOLDER}/${provider.id}.test.ts`, content: writeTest(provider, requests) },
          evidence: (parsed.ok && computeEvidence(parsed.file)) || 'transcribed',
          notes: [...notes],
        },
      };
    },
  });
}

const NAME_LENGTH_MAX = 64;

function refuse(faults: readonly ProviderFault[]): HttpError {
  return new HttpError('invalid_request', {
    detail: 'The description is not one that the catalog takes.',
    errors: faults.map(({ path, reason }) => ({
      path: ['body', 'description', ...path.map((step) => String(step).slice(0, NAME_LENGTH_MAX))].join('.'),
      message: reason,
    })),
  });
}

const EXAMPLE: z.infer<typeof createProviderFilesBody> = {
  description: {
    id: 'acme-crm',
    name: 'Acme CRM',
    category: 'crm',
    auth: 'oauth2',
    authorizationUrl: 'https://crm.acme.example/oauth/authorize',
    tokenUrl: 'https://crm.acme.example/oauth/token',
    apiBaseUrl: 'https://crm.acme.example/api',
  },
  sources: [
    {
      from: 'https://developer.acme.example/oauth',
      says: ['endpoints', 'apiBase'],
      date: '2026-11-27',
      by: 'vendor',
    },
  ],
};
