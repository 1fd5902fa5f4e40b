import { z } from 'zod';
import { kafkaBody } from '../events/destinations/destination-kafka.schema.ts';
import { checkPlace, destinationFields } from '../events/destinations/destinations.schema.ts';
import { createMandateBody } from '../identity/mandates/mandates.schema.ts';
import { createIntegrationBody, updateIntegrationBody } from '../integrations/integrations.schema.ts';
import { createPollBody } from '../polls/api/polls.schema.ts';
import { addMemberBody } from '../projects/members.schema.ts';
import { createProjectBodies } from '../projects/projects.schema.ts';
import { displayName } from '../projects/texts.schema.ts';
import { updateProviderBody } from '../providers/custom-providers.schema.ts';
import { readReference } from './references.ts';

const OBJECTS_MAX = 1_000;

const name = displayName.meta({
  description:
    'What the object is called in every environment: unique among those of its kind. No user reads it.',
});
const formerName = displayName.optional().meta({
  description: 'What the object was called before: it is renamed, and not deleted and made again.',
});
const names = { name, formerName };

const secretText = (message: string) =>
  z.string().refine((text) => readReference(text) !== undefined, message);
const secret = secretText(`A secret stands here by reference alone: \${env:NAME} or \${file:path}`).meta({
  pattern: '^\\$\\{(env:[A-Za-z_][A-Za-z0-9_]*|file:[^{}]+)\\}$',
  description:
    'A secret, by reference to a variable of the environment or to a file (docs/configuration.md). Who applies the file brings the value along. Left out: as it is.',
});

const integration = z.strictObject({
  ...names,
  displayName: createIntegrationBody.shape.name.meta({
    description: 'What end users read instead of the provider’s name. Left out: the provider’s name.',
  }),
  serviceProvider: createIntegrationBody.shape.serviceProvider.meta({
    description: 'A provider of the catalog, or `custom:<name>` of a custom provider.',
  }),
  authMethod: createIntegrationBody.shape.authMethod,
  clientId: createIntegrationBody.shape.clientId,
  clientSecret: secret.optional(),
  webhookSecret: secret.optional(),
  scopes: createIntegrationBody.shape.scopes,
  optionalScopes: createIntegrationBody.shape.optionalScopes,
  variables: createIntegrationBody.shape.variables.meta({
    description: 'Those that are secret at the provider stand by reference.',
  }),
  settings: createIntegrationBody.shape.settings,
  disabled: updateIntegrationBody.shape.disabled,
});

const poll = z
  .strictObject({
    ...names,
    integration: displayName.meta({ description: 'The name of an integration.' }),
    resource: createPollBody.shape.resource,
    custom: createPollBody.shape.custom,
    intervalSeconds: createPollBody.shape.intervalSeconds,
    fields: createPollBody.shape.fields,
    parameters: createPollBody.shape.parameters,
    backfill: createPollBody.shape.backfill,
    deletes: createPollBody.shape.deletes,
    scanIntervalSeconds: createPollBody.shape.scanIntervalSeconds,
    paused: z.boolean().default(false),
  })
  .refine(
    ({ resource, custom }) => (resource === undefined) !== (custom === undefined),
    'needs either `resource` or `custom`',
  );

const saslOfKafka = kafkaBody.shape.sasl.unwrap().unwrap().extend({ password: secret.optional() });
const destination = z
  .strictObject({
    ...names,
    ...destinationFields,
    kafka: kafkaBody
      .extend({ sasl: saslOfKafka.nullable().default(null) })
      .nullable()
      .default(null),
  })
  .superRefine(checkPlace);

const mandate = z.strictObject({
  ...names,
  entries: createMandateBody.shape.entries,
  state: createMandateBody.shape.state,
});

const customProvider = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'Small letters, digits and hyphens, at most 40')
    .meta({ description: 'The provider’s id: integrations name it as `custom:<name>`.' }),
  definition: updateProviderBody.meta({ id: 'ProviderDefinition' }),
});

const member = z.strictObject({
  email: addMemberBody.shape.email.toLowerCase(),
  role: addMemberBody.shape.role,
});

const agentSignIn = z.strictObject({
  page: z.string().nullable().default(null),
  openid: z
    .strictObject({
      issuer: z.string(),
      clientId: z.string(),
      clientSecret: secret.optional(),
      scopes: z.array(z.string()).default(['email']),
      userIdClaim: z.string().default('sub'),
      mandate: displayName.nullable().default(null).meta({ description: 'The name of a mandate.' }),
    })
    .nullable()
    .default(null),
  dynamicRegistration: z.boolean().default(false),
});

function createProject(options: { readonly allowInsecure: boolean }) {
  const { agentSignIn: _own, ...shape } = createProjectBodies(options).update.shape;
  return z.strictObject({ ...shape, agentSignIn: agentSignIn.nullable().optional() });
}

/** What one project is configured by. Sections that are left out list nothing; fields of `project` that are, stay as they are. */
export function createDocumentSchema(options: { readonly allowInsecure: boolean }) {
  return z.strictObject({
    version: z.literal(1).default(1),
    project: createProject(options).default({}),
    customProviders: z.array(customProvider).max(OBJECTS_MAX).default([]),
    mandates: z.array(mandate).max(OBJECTS_MAX).default([]),
    integrations: z.array(integration).max(OBJECTS_MAX).default([]),
    polls: z.array(poll).max(OBJECTS_MAX).default([]),
    destinations: z.array(destination).max(OBJECTS_MAX).default([]),
    members: z.array(member).max(OBJECTS_MAX).optional().meta({
      description: 'Read from operators’ tokens alone. Left out: nothing is said of members.',
    }),
  });
}

export type DocumentSchema = ReturnType<typeof createDocumentSchema>;
export type ConfigurationDocument = z.output<DocumentSchema>;

/** The schema of files for editors: of one project, or of several under `projects`. */
export function describeDocument(): Record<string, unknown> {
  const single = createDocumentSchema({ allowInsecure: false });
  const several = z.strictObject({
    version: z.literal(1).default(1),
    projects: z
      .array(single.omit({ version: true }))
      .min(1)
      .max(100),
  });
  const file = z.union([single, several]).meta({
    title: 'Configuration of projects of the Integration Gateway',
    description: `\${env:NAME} and \${file:path} are references: who applies the file brings the values along. Text that only looks like one has one $ more: $\${env:NAME} stands for \${env:NAME}.`,
  });
  return z.toJSONSchema(file, { io: 'input', target: 'draft-2020-12', unrepresentable: 'any' });
}
