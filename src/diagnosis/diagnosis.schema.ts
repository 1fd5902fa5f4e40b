import { z } from 'zod';
import { AUTH_KINDS } from '../catalog/schema/provider.schema.ts';
import { authMethodMembers } from '../integrations/auth-method.ts';
import { clientId, clientSecret, variables } from '../integrations/integrations.schema.ts';
import { plainDigits } from '../lib/plain-digits.ts';
import { FINDING_CODES, SEVERITIES } from './finding-texts.ts';

const instant = z.iso.datetime();

export const findingSchema = z
  .object({
    code: z.enum(FINDING_CODES).describe('Stable; docs/diagnosis.md tells what each means'),
    severity: z.enum(SEVERITIES),
    title: z.string(),
    detail: z.string(),
    remedy: z.string().describe('What to do about it'),
    parameters: z
      .record(z.string(), z.string())
      .describe('What the placeholders of the texts stand for, for translations by code'),
    evidence: z.array(
      z.object({
        label: z.string(),
        value: z.string(),
        requestId: z.string().optional(),
        at: instant.optional(),
      }),
    ),
  })
  .meta({ id: 'Finding' });

const findings = z.array(findingSchema).describe('The worst first');

export const diagnosisSchema = z
  .object({
    checkedAt: instant.nullable().describe('When the provider was asked; null: not yet'),
    findings,
  })
  .meta({ id: 'Diagnosis' });

export const probeSchema = z.object({ checkedAt: instant, findings }).meta({ id: 'ClientProbe' });

export const connectionTestSchema = z
  .object({ checkedAt: instant, ok: z.boolean(), findings })
  .meta({ id: 'ConnectionTest' });

export const connectionHealthSchema = z
  .object({
    kind: z.enum(AUTH_KINDS).nullable(),
    expiresAt: instant.nullable(),
    refreshedAt: instant.nullable(),
    nextRefreshAt: instant.nullable().describe('About when the gateway refreshes next, if it is used'),
    lastAnswer: z
      .object({
        at: instant,
        status: z.number().int().nullable().describe('Null: there was no answer'),
        error: z.string().nullable().describe('Null: new tokens came'),
        description: z.string().nullable().describe('The provider’s own words'),
      })
      .nullable()
      .describe('Of the token endpoint to the last refresh'),
    scopes: z.object({
      asked: z.array(z.string()),
      granted: z.array(z.string()).nullable().describe('Null: the provider does not say'),
    }),
    findings,
  })
  .meta({ id: 'ConnectionHealth' });

export const connectAttemptsSchema = z
  .object({
    from: instant,
    opened: z.number().int(),
    sentToProvider: z.number().int(),
    cameBack: z.number().int(),
    completed: z.number().int(),
    failures: z
      .array(
        z.object({
          code: z.enum(FINDING_CODES),
          title: z.string(),
          remedy: z.string(),
          requestId: z.string(),
          at: instant,
          userId: z.string().nullable(),
          connectSessionId: z.uuid(),
          error: z.string().describe('The code that the application got'),
          providerCode: z.string().nullable(),
          providerWords: z.string().nullable(),
        }),
      )
      .describe('The last hundred, newest first'),
  })
  .meta({ id: 'ConnectAttempts' });

export const impactSchema = z
  .object({
    connections: z.number().int(),
    users: z.number().int(),
    isAtLeast: z.boolean().describe('There are more connections and users than were counted'),
    revocations: z.boolean().describe('Whether grants are revoked at the provider'),
    polls: z.number().int(),
    destinations: z.number().int(),
  })
  .meta({ id: 'DeletionImpact' });

export const integrationStateSchema = z.object({
  integrationId: z.uuid(),
  checkedAt: instant.nullable().describe('When the provider was asked; null: not since the last change'),
  finding: findingSchema
    .nullable()
    .describe(
      'The worst that its answer, polls, webhooks and secrets say, without what concerns the whole project; null: it was not asked, and nothing else is known',
    ),
  failedUsers: z
    .number()
    .int()
    .describe('Users who failed to connect in seven days, and since the last change, and are not connected'),
});

export const integrationStatesSchema = z
  .object({ states: z.array(integrationStateSchema) })
  .meta({ id: 'IntegrationStates' });

export const idParams = z.strictObject({ id: z.uuid() });
export const projectParams = z.strictObject({ projectId: z.uuid() });
export const diagnosisQuery = z.strictObject({ refresh: z.enum(['true', 'false']).default('false') });
export const connectAttemptsQuery = z.strictObject({
  days: plainDigits(z.number().int().min(1).max(30).default(7)),
});

export const probeBody = z.strictObject({
  projectId: z.uuid().optional(),
  serviceProvider: z.string().min(1).max(100),
  ...authMethodMembers,
  clientId: clientId.optional(),
  clientSecret: clientSecret.optional(),
  variables: variables.default({}),
});

export type ProbeBody = z.output<typeof probeBody>;
