import { z } from 'zod';
import { dottedPath, sentHeaders, urlTemplate } from './provider-fields.schema.ts';

/** A member of a JSON answer and the texts by which it decides; without texts, any value decides. */
const decidingMember = z.strictObject({
  path: dottedPath,
  values: z.array(z.string().min(1).max(200)).min(1).max(10).optional(),
});

const statuses = z.array(z.int().min(300).max(599)).min(1).max(10);

/** What a provider file says of proving a credential that a person typed. */
export const probeFields = {
  /**
   * A cheap request that only a good credential gets an answer to. Left out: the account call, where there is one, of
   * which a 401 is a refusal and a 403 a good credential that may not ask whose it is.
   */
  probe: z
    .strictObject({
      /** Left out: the account call is the request, and this block says how to read its answer. */
      url: urlTemplate.optional(),
      method: z.enum(['GET', 'POST']).optional(),
      headers: sentHeaders(z.string()).optional(),
      /** JSON of a POST. */
      body: z.record(z.string(), z.unknown()).optional(),
      /** Statuses that mean a wrong credential. Left out: 401 and 403, less those in `accepted`. */
      refused: statuses.optional(),
      /** Statuses beside 200 to 299 that only a good credential gets. */
      accepted: statuses.optional(),
      /** What in an answer of any status shows that the credential is wrong. */
      refusedWhen: decidingMember.optional(),
      /** What in an answer other than 200 to 299 shows that the credential is good, and may only not do this. */
      acceptedWhen: decidingMember.optional(),
      /** A member that an answer of 200 to 299 must have. */
      answerHas: dottedPath.optional(),
    })
    .optional(),
  /** Why no request of this provider can prove a credential. */
  noProbe: z.string().min(1).max(300).optional(),
};
