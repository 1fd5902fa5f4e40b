import { z } from 'zod';
import { tagsSchema } from '../lib/tags.schema.ts';
import { organizationIdText, ownUserIdText } from '../projects/texts.schema.ts';
import { LANGUAGES } from './texts/language.ts';

export const createConnectSessionBody = z.strictObject({
  provider: z.string().min(1).max(100).optional(),
  integrationId: z.uuid().optional(),
  integrationIds: z
    .array(z.uuid())
    .min(1)
    .max(200)
    .optional()
    .describe(
      'The only integrations that the session may use, at whichever step: without `provider` and `integrationId` the user chooses among them. Left out: all of the project',
    ),
  connectionId: z.uuid().optional().describe('The connection to re-authorize; its id is kept'),
  tenant: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'Id of the site, organization or account that the connection is for, where one grant may reach several: the user is not asked. With `connectionId` it moves the connection there',
    ),
  variables: z
    .record(z.string().min(1).max(60), z.string().max(2_000))
    .optional()
    .describe(
      'Variables of the provider with `from: application`, such as the person for whom a key of the integration acts: given with an API key or by an operator, never with a user token',
    ),
  returnUrl: z.string().max(2000).optional().describe('One of the project’s registered return URLs, exactly'),
  display: z
    .enum(['page', 'popup'])
    .default('page')
    .describe(
      'With a `returnUrl`: `page` leads back there, `popup` only where no opener takes the message of the closing page',
    ),
  allowMultiple: z.boolean().default(false),
  completion: z
    .enum(['same_user', 'link'])
    .default('same_user')
    .describe(
      '`link`: the backend vouches that only the right person has the link (API keys; operators to re-authorize)',
    ),
  userId: ownUserIdText.optional().describe('The end user that an API key makes the session for'),
  owner: z
    .enum(['user', 'organization'])
    .optional()
    .describe(
      'Whose the connection will be. `organization`: a user token needs `org` and, in `gateway_roles`, `connections:manage`; an API key names `organizationId`. Left out: the user’s, or with `connectionId` whose it is',
    ),
  organizationId: organizationIdText
    .optional()
    .describe('Your own id of the organization, for which an API key makes the session'),
  tags: tagsSchema
    .optional()
    .describe('Tags of the connection; with `connectionId` in the place of those that it has'),
  locale: z
    .string()
    .max(35)
    .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'a language tag such as de or de-AT (BCP 47)')
    .optional()
    .describe(
      `Language of the hosted pages: ${LANGUAGES.map(({ tag }) => tag).join(', ')}. Left out, or none of these: what the browser asks for`,
    ),
  origin: z
    .string()
    .max(300)
    .optional()
    .describe(
      'Origin of the page that opens the popup, for callers that are no page themselves. Left out: the project’s first allowed origin',
    ),
});

export const connectSessionSchema = z
  .object({ id: z.uuid(), url: z.string(), expiresAt: z.iso.datetime() })
  .meta({ id: 'ConnectSession' });

export const completeConnectSessionBody = z.strictObject({ completionCode: z.string().min(1).max(200) });
export const connectSessionParams = z.strictObject({ id: z.uuid() });

export type CreateConnectSession = z.infer<typeof createConnectSessionBody>;
