import { z } from 'zod';
import { PROVEN_FACTS } from './provider-evidence.store.ts';

const instant = z.iso.datetime();

export const evidenceQuery = z.strictObject({
  provider: z.string().max(60).optional().meta({ description: 'Of this provider alone.' }),
});

export const providerEvidenceSchema = z
  .object({
    data: z.array(
      z.object({
        provider: z.string(),
        fileVersion: z.string().meta({ description: 'Names what the catalog said of the provider then.' }),
        fact: z.enum(PROVEN_FACTS).meta({ description: 'What worked.' }),
        count: z.number().int(),
        firstAt: instant,
        lastAt: instant,
      }),
    ),
  })
  .meta({ id: 'ProviderEvidence' });
