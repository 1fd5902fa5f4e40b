import { z } from 'zod';

export const projectParams = z.strictObject({ projectId: z.uuid() });
const STATS_STEPS = ['minute', 'hour', 'day'] as const;
/** A reply of more points would hold the event loop. */
export const POINTS_MAX = 6_000;

export const statsQuery = z.strictObject({
  from: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ description: 'Default: an hour, a day or 30 days before `to`, by `step`.' }),
  to: z.iso.datetime({ offset: true }).optional().meta({ description: 'Not included. Default: now.' }),
  step: z.enum(STATS_STEPS).default('hour').meta({
    description: 'Days begin at midnight UTC. Minutes and hours are kept for a shorter time than days.',
  }),
  groupBy: z.enum(['provider', 'integration', 'origin', 'total']).default('provider').meta({
    description:
      '`origin`: who answered with an error, without percentiles. `total`: one series of all calls, if there are any.',
  }),
  integrationId: z.uuid().optional(),
  provider: z.string().max(100).optional(),
  limit: z
    .preprocess(
      (text) => (typeof text === 'string' && /^\d{1,2}$/.test(text) ? Number(text) : text),
      z.number().int().min(1).max(50).default(10),
    )
    .meta({ description: 'How many series at most: those with the most calls.' }),
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
            'Provider, integration id, origin or `total`; `none` for calls refused before their integration was known.',
        }),
        label: z.string().nullable(),
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
