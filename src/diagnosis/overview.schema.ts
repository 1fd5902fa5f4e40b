import { z } from 'zod';
import { findingSchema, integrationStateSchema } from './diagnosis.schema.ts';

export const overviewSchema = z
  .object({
    states: z.array(integrationStateSchema).describe('As in `integration-states`'),
    endingSecrets: z
      .array(z.object({ integrationId: z.uuid(), finding: findingSchema }))
      .describe('Client secrets whose noted end has come, or comes within 30 days'),
    destinations: z
      .array(z.object({ id: z.uuid(), url: z.string(), state: z.enum(['failing', 'disabled']) }))
      .describe('Destinations of events that take nothing, but for those that an operator disabled'),
    firstSteps: z.object({
      testProvider: z
        .string()
        .nullable()
        .describe('Of the operator’s own newest test connection; null: there is none'),
      called: z.boolean().describe('A provider has answered a call, the operators’ own included'),
      calledForUser: z.boolean().describe('A provider has answered a call for a user of the application'),
    }),
  })
  .meta({ id: 'ProjectOverview' });
