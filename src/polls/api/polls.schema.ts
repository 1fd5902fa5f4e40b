import { z } from 'zod';
import { pollResourceFields } from '../../catalog/schema/provider-polls.schema.ts';
import { listQuery } from '../../lib/cursor.ts';
import { tagQuery } from '../../lib/tags.schema.ts';

const instant = z.iso.datetime();
const interval = z.int().min(60).max(86_400);
const SCAN_SECONDS_USUAL = 86_400;

const fields = z.array(z.string().min(1).max(200)).max(200).meta({
  description:
    'The members that the provider is asked for, where it can be told; left out: those of the resource.',
});
const parameterValues = z
  .record(z.string().regex(/^[a-z][A-Za-z0-9]{0,39}$/), z.string().min(1).max(200))
  .meta({ description: 'Values of the resource’s own parameters, such as a channel or a calendar.' });
const scanInterval = z.int().min(3_600).max(2_592_000);

/** A resource as a client describes it: the fields of a resource in a provider file. */
const customResource = pollResourceFields.meta({
  id: 'PollResource',
  description: 'How records are asked for and read, as in the `polls` of a provider file.',
});

export const createPollBody = z
  .strictObject({
    integrationId: z.uuid(),
    resource: z.string().max(60).optional().meta({
      description: 'One of the provider’s, by name: `GET /v1/providers/{provider}/poll-resources`.',
    }),
    custom: customResource.optional(),
    intervalSeconds: interval,
    fields: fields.optional(),
    parameters: parameterValues.optional(),
    backfill: z.enum(['none', 'full']).default('none').meta({
      description:
        '`full`: everything that is there is told as created first; `none`: what changes from now on.',
    }),
    deletes: z.enum(['none', 'scan']).default('none').meta({
      description: '`scan`: everything is listed now and then, to find what is gone.',
    }),
    scanIntervalSeconds: scanInterval.default(SCAN_SECONDS_USUAL),
  })
  .refine(
    ({ resource, custom }) => (resource === undefined) !== (custom === undefined),
    'needs either `resource` or `custom`',
  )
  .meta({ id: 'CreatePoll' });

export const createPollQuery = z.strictObject({
  dryRun: z.enum(['true', 'false']).default('false').meta({
    description:
      '`true`: nothing is stored; the reply shows what one connection’s provider is asked and answers.',
  }),
  connectionId: z.uuid().optional().meta({ description: 'Of the dry run; left out: the newest active one.' }),
});

export const updatePollBody = z
  .strictObject({
    intervalSeconds: interval.optional(),
    fields: fields.optional(),
    deletes: z.enum(['none', 'scan']).optional(),
    scanIntervalSeconds: scanInterval.optional(),
  })
  .meta({ id: 'UpdatePoll' });

export const pollParams = z.strictObject({ id: z.uuid() });

export const pollsQuery = z.strictObject({
  ...listQuery,
  projectId: z.uuid().optional(),
  integrationId: z.uuid().optional(),
  tag: tagQuery.tag.meta({ description: 'Polls of which a connection has the tags: `?tag.plan=pro`.' }),
});

export const pollConnectionsQuery = z.strictObject({
  ...listQuery,
  connectionId: z.uuid().optional(),
  ...tagQuery,
});

export const pollSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    integrationId: z.uuid(),
    serviceProvider: z.string(),
    resource: z.string().nullable(),
    custom: z.record(z.string(), z.unknown()).nullable(),
    objectType: z.string().meta({ description: 'The middle of its events’ types.' }),
    intervalSeconds: z.int(),
    fields: z.array(z.string()),
    parameters: z.record(z.string(), z.string()),
    backfill: z.enum(['none', 'full']),
    deletes: z.enum(['none', 'scan']),
    scanIntervalSeconds: z.int(),
    state: z.enum(['running', 'failing', 'paused']).meta({
      description: '`failing`: with one connection at least.',
    }),
    connections: z.int(),
    failingConnections: z.int(),
    missingScopes: z.array(z.string()).optional().meta({
      description:
        'Of a poll that was just made: scopes that its records need and the integration does not ask for. It fails until they are added and the connections authorized again.',
    }),
    lagSeconds: z.int().nullable().meta({
      description: 'How long ago the changes of the connection that is furthest behind were read.',
    }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Poll' });

export const pollList = z
  .object({ polls: z.array(pollSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'PollList' });

const polledConnection = z
  .object({
    connectionId: z.uuid(),
    integrationUserId: z.uuid(),
    userId: z.string(),
    owner: z.object({ type: z.enum(['user', 'organization']), id: z.string() }),
    accountName: z.string().nullable(),
    state: z.enum(['running', 'waiting', 'failing', 'paused']),
    phase: z
      .enum(['backfill', 'baseline', 'changes', 'deleted', 'scan'])
      .nullable()
      .meta({ description: 'What is being read; null between runs.' }),
    cursor: z
      .string()
      .nullable()
      .meta({ description: 'Up to where changes have been read; a token is shortened.' }),
    lastRunAt: instant.nullable(),
    nextRunAt: instant.nullable(),
    lagSeconds: z.int().nullable(),
    recordsSeen: z.int(),
    pagesRead: z.int(),
    recordsInPass: z.int().meta({ description: 'Records read in the listing that is under way.' }),
    lastError: z
      .object({ code: z.string(), detail: z.string().nullable(), failures: z.int() })
      .nullable()
      .meta({ description: 'Why it does not go on; null while it does.' }),
  })
  .meta({ id: 'PollConnection' });

export const polledConnectionList = z
  .object({ connections: z.array(polledConnection), nextCursor: z.string().nullable() })
  .meta({ id: 'PollConnectionList' });

export const pollResourceParams = z.strictObject({ provider: z.string().max(100) });
export const pollResourceQuery = z.strictObject({ projectId: z.uuid().optional() });

export const pollResourceList = z
  .object({
    resources: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        object: z.string(),
        docsUrl: z.string().nullable(),
        scopes: z.array(z.string()),
        notes: z.array(z.string()),
        fields: z.array(z.string()),
        parameters: z.record(
          z.string(),
          z.object({
            description: z.string(),
            default: z.string().nullable(),
            example: z.string().nullable(),
          }),
        ),
        changes: z.enum(['timestamp', 'token', 'log', 'scan']).meta({
          description:
            'How changes are found: by time, by a change token, in a log that tells each change, or by reading everything each time.',
        }),
        listsDeleted: z.boolean().meta({ description: 'Deletions are told without a scan.' }),
        canScan: z.boolean(),
        definition: z.record(z.string(), z.unknown()),
      }),
    ),
  })
  .meta({ id: 'PollResourceList' });

export type PollWire = z.input<typeof pollSchema>;
export type PolledConnectionWire = z.input<typeof polledConnection>;
export type CreatePoll = z.output<typeof createPollBody>;
