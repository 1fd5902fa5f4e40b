import { z } from 'zod';
import { sourceSchema } from '../catalog/schema/provider-standing.schema.ts';

const SOURCES_MAX = 20;

export const createProviderFilesBody = z.strictObject({
  projectId: z.uuid().optional(),
  description: z
    .looseObject({})
    .describe(
      'The fields of a provider file, as `POST /providers` takes them; the id with or without `custom:`',
    ),
  sources: z
    .array(sourceSchema)
    .min(1)
    .max(SOURCES_MAX)
    .describe(
      'Where each fact was found: an https address or a package with its version, what it says, and the day. `by: "vendor"` for the provider’s own documentation',
    ),
});

const file = z.object({
  path: z.string().meta({ description: 'Where it belongs in the repository.' }),
  content: z.string(),
});

export const providerFiles = z
  .object({
    provider: file.meta({ description: 'The provider file.' }),
    test: file.meta({ description: 'A test that the file leads to the requests of the dry run.' }),
    evidence: z.string().meta({ description: 'How far the sources confirm it.' }),
    notes: z.array(z.string()).meta({ description: 'What the test cannot hold, and why.' }),
  })
  .meta({ id: 'ProviderFiles' });
