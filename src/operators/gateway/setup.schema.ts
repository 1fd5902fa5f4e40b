import { z } from 'zod';
import { emailAddress, newPassword, operatorSchema } from '../accounts/operators.schema.ts';
import { displayName } from '../accounts/texts.schema.ts';

export const setupBody = z.strictObject({
  token: z.string().min(1).max(500).meta({ description: 'The one-time token of the printed link.' }),
  email: emailAddress,
  password: newPassword,
  projectName: displayName.default('My project'),
  credentials: z.boolean().default(true).meta({
    description:
      'Whether a personal access token and an API key are made and shown. `false` for a browser, which goes on with its session and would leave two credentials that no person holds.',
  }),
});

export type SetupInput = z.output<typeof setupBody>;

/** The schema of the project comes from the caller, which creates projects. */
export function setupReply<Project extends z.ZodType>(projectSchema: Project) {
  return z
    .object({
      operator: operatorSchema,
      project: projectSchema,
      personalAccessToken: z
        .object({ id: z.uuid(), token: z.string().meta({ description: 'Shown this once.' }) })
        .nullable()
        .meta({ description: 'Null where `credentials` is `false`.' }),
      apiKey: z
        .object({ id: z.uuid(), key: z.string().meta({ description: 'Shown this once.' }) })
        .nullable()
        .meta({ description: 'Null where `credentials` is `false`.' }),
    })
    .meta({ id: 'SetupResult' });
}
