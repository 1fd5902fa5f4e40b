import { z } from 'zod';
import { dottedPath, headerName, urlTemplate } from './provider-fields.schema.ts';

/** A member of a JSON answer and the texts by which it decides. */
const decidingMember = z.strictObject({
  path: dottedPath,
  values: z.array(z.string().min(1).max(200)).min(1).max(10),
});

/** What a provider file says of proving a credential that a person typed. */
export const probeFields = {
  /**
   * A cheap request that only a good credential gets an answer to. Left out: the account call, where there is one, of
   * which a 401 alone is a refusal.
   */
  probe: z
    .strictObject({
      url: urlTemplate,
      method: z.enum(['GET', 'POST']).default('GET'),
      headers: z.record(headerName, z.string()).default({}),
      /** JSON of a POST. */
      body: z.record(z.string(), z.unknown()).optional(),
      /** Statuses that mean a wrong credential. */
      refused: z.array(z.int().min(400).max(499)).min(1).max(5).default([401, 403]),
      /** Of an answer with another status: what shows that the credential is wrong. */
      refusedWhen: decidingMember.optional(),
      /** Of a refusal: what shows that the credential is good, and may only not do this. */
      acceptedWhen: decidingMember.optional(),
    })
    .optional(),
  /** Why no request of this provider can prove a credential. */
  noProbe: z.string().min(1).max(300).optional(),
};
