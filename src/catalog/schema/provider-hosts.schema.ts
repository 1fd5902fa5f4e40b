import { z } from 'zod';
import { baseUrlTemplate } from './provider-fields.schema.ts';

const HOSTS_MAX = 40;
export const HOST_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** What a provider file says of API hosts beside `apiBaseUrl`. */
export const hostFields = {
  /**
   * Further API hosts that take the same credential, by the name that the proxy path gives them (`dropbox~content`).
   * Variables stand in them under the rules of `apiBaseUrl`.
   */
  hosts: z
    .record(
      z.string().max(40).regex(HOST_NAME, 'lower-case letters, digits and single hyphens'),
      z.strictObject({
        url: baseUrlTemplate,
        /** What it is for, in a few words. */
        serves: z.string().min(1).max(120),
      }),
    )
    .refine((hosts) => Object.keys(hosts).length <= HOSTS_MAX, `at most ${HOSTS_MAX} hosts`)
    .default({}),
};
