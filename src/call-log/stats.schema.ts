import { z } from 'zod';
import { givenInstant } from '../lib/instant.schema.ts';
import { plainDigits } from '../lib/plain-digits.ts';
import { tagKey } from '../lib/tags.schema.ts';
import { userIdText } from '../projects/texts.schema.ts';

export const projectParams = z.strictObject({ projectId: z.uuid() });
/** Of usage, whose groups change from step to step. */
export const USAGE_STEPS_MAX = 800;
const STATS_STEPS = ['minute', 'hour', 'day'] as const;
/** A reply of more points would hold the event loop. */
export const POINTS_MAX = 6_000;

export const USAGE_GROUPS = ['user', 'organization', 'mandate', 'tag'] as const;
const STATS_GROUPS = ['provider', 'integration', 'origin', 'total', ...USAGE_GROUPS] as const;

export const statsQuery = z.strictObject({
  from: givenInstant
    .optional()
    .meta({ description: 'Default: an hour, a day or 30 days before `to`, by `step`.' }),
  to: givenInstant.optional().meta({ description: 'Not included. Default: now.' }),
  step: z.enum(STATS_STEPS).default('hour').meta({
    description: 'Days begin at midnight UTC. Minutes and hours are kept for a shorter time than days.',
  }),
  groupBy: z.enum(STATS_GROUPS).default('provider').meta({
    description:
      '`origin`: who answered with an error, without percentiles. `total`: one series of all calls, if there are any. `user`, `organization` (as the token names it), `mandate` (named ones) and `tag` (of the connection, as it is now; with `tag`) are kept by hour and day, without percentiles and without the calls that have none; they may be missing for half a minute.',
  }),
  tag: tagKey.optional().meta({ description: 'Which tag, with `groupBy=tag`.' }),
  userId: userIdText.optional().meta({ description: 'Your own id of one user, with `groupBy=user`.' }),
  organizationId: userIdText.optional().meta({
    description: 'Your own id of one organization, with `groupBy=organization`.',
  }),
  integrationId: z.uuid().optional(),
  provider: z.string().max(100).optional(),
  limit: plainDigits(z.number().int().min(1).max(50).default(10)).meta({
    description: 'How many series at most: those with the most calls.',
  }),
});

const percentiles = {
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  gatewayP50Ms: z.number().nullable(),
  gatewayP99Ms: z.number().nullable(),
};
const counts = { calls: z.number(), gatewayErrors: z.number(), providerErrors: z.number() };

const statsTotals = z.object({ ...counts, ...percentiles }).meta({
  id: 'CallNumbers',
  description:
    'Percentiles of the whole time of a call and of the gateway’s share of it, in ms, off by 4.5 per cent at most; null where there are none.',
});

export const statsSchema = z
  .object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    step: z.enum(STATS_STEPS),
    series: z.array(
      z.object({
        key: z.string().meta({
          description:
            'Provider, integration id, origin, `total`, the gateway’s id of a user, organization or mandate, or the value of a tag; `none` for calls refused before their integration was known. `other`, with a null label, is the last series where not every call has one: of an hour the first 200 users (or others) are counted apart, of a day the first 1,000, the rest together, with those that are erased.',
        }),
        label: z
          .string()
          .nullable()
          .meta({ description: 'Your own id of a user or an organization, the name of a mandate.' }),
        points: z
          .array(z.object({ at: z.iso.datetime(), ...counts, ...percentiles }))
          .meta({ description: 'Steps without calls are left out.' }),
        totals: statsTotals,
      }),
    ),
    seriesOmitted: z.number().meta({ description: 'Further series, with fewer calls.' }),
  })
  .meta({ id: 'Stats' });

export type StatsQuery = z.output<typeof statsQuery>;
export type StatsWire = z.input<typeof statsSchema>;
