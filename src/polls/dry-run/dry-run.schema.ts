import { z } from 'zod';

const instant = z.iso.datetime();

const shownRequest = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  purpose: z.string().meta({
    description:
      'What it is for: `changes`, `list`, `deleted`, `start`, `token`, `subscriptions`, `subscribe`, `file`.',
  }),
  status: z.int().nullable(),
  error: z.string().nullable(),
});

export const pollDryRun = z
  .object({
    connectionId: z.uuid(),
    requests: z
      .array(shownRequest)
      .meta({ description: 'What was sent, credentials hidden. Without `status` and `error`: only shown.' }),
    records: z.array(
      z.object({
        id: z.string(),
        updatedAt: instant.nullable(),
        createdAt: instant.nullable(),
        isDeleted: z.boolean(),
        eventType: z.string(),
        data: z.unknown(),
      }),
    ),
    notes: z.array(z.string()),
  })
  .meta({ id: 'PollDryRun' });

export type PollDryRun = z.input<typeof pollDryRun>;
