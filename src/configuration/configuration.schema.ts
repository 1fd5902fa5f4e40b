import { z } from 'zod';
import type { DriftedObject } from './drift.ts';
import { OBJECT_KINDS } from './objects.ts';
import type { Plan, PlannedField } from './plan.ts';
import { writeReference } from './references.ts';

/** A file of two hundred integrations, several times over. */
export const TEXT_LENGTH_MAX = 256 * 1024;
export const BODY_BYTES_MAX = 384 * 1024;
const OVERLAYS_MAX = 10;
const SECRETS_MAX = 2_000;

const file = z.union([z.string().max(TEXT_LENGTH_MAX), z.record(z.string(), z.unknown())]);
const secrets = z
  .record(z.string().min(1).max(600), z.string().max(64 * 1024))
  .refine((values) => Object.keys(values).length <= SECRETS_MAX, `At most ${SECRETS_MAX}`);

const fileMembers = {
  configuration: file.meta({
    description: 'The file: an object, or its text in YAML, whose faults then have a line and a column.',
  }),
  overlays: z.array(file).max(OVERLAYS_MAX).default([]).meta({
    description: 'Laid over the file one after the other: what differs in one environment.',
  }),
  secrets: secrets.default({}).meta({
    writeOnly: true,
    description:
      'The values of references, by what they name: `{ "env:HUBSPOT_SECRET": "…" }`. The gateway itself reads no variable and no file for a caller.',
  }),
};

export const configurationParams = z.strictObject({ projectId: z.uuid() });
export const exportBody = z.strictObject({});
export const planBody = z.strictObject(fileMembers);
export const driftBody = z.strictObject({
  ...fileMembers,
  configuration: fileMembers.configuration.optional().meta({
    description: 'Left out: the state is compared with what was applied last.',
  }),
});
export const applyBody = z.strictObject({
  ...fileMembers,
  stateHash: z.string().min(1).max(200).optional().meta({
    description:
      'Needed, here or in the address. Of the plan: the apply is refused where the state has moved since.',
  }),
});
/** For bodies in YAML, which are the file alone. */
export const applyQuery = z.strictObject({
  stateHash: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'The one of the plan that is applied, where the body is YAML.' }),
});

const kind = z.enum(OBJECT_KINDS);

const field = z
  .object({
    path: z.string(),
    from: z.unknown().optional(),
    to: z.unknown().optional(),
    secret: z
      .boolean()
      .optional()
      .meta({ description: 'It stands by reference: what it was and is, is not shown.' }),
    reference: z.string().optional(),
  })
  .meta({ id: 'ConfigurationField' });

const change = z
  .object({
    action: z.enum(['create', 'update', 'delete']),
    type: kind,
    name: z.string(),
    fields: z.array(field),
  })
  .meta({ id: 'ConfigurationChange' });

const named = z.object({ type: kind, name: z.string() });

const summary = z.object({ create: z.int(), update: z.int(), delete: z.int() });

export const planSchema = z
  .object({
    stateHash: z
      .string()
      .meta({ description: 'Of everything that files configure in the project, as it is now.' }),
    changes: z.array(change),
    summary,
    adopted: z.array(named).meta({
      description: 'Made by hand until now, and managed by the file once it is applied.',
    }),
    unmanaged: z
      .array(named)
      .meta({ description: 'Made by hand, and not in the file: they stay as they are.' }),
    unverifiedSecrets: z.array(z.string()).meta({
      description: 'References whose values were not compared: what is there stays.',
    }),
  })
  .meta({ id: 'ConfigurationPlan' });

export const appliedSchema = z
  .object({ stateHash: z.string(), applied: z.array(change), summary })
  .meta({ id: 'AppliedConfiguration' });

export const exportSchema = z
  .object({
    stateHash: z.string(),
    configuration: z.record(z.string(), z.unknown()).meta({
      description: 'The file, as its schema has it: `GET /v1/configuration/schema`.',
    }),
    yaml: z.string().meta({ description: 'The same as text.' }),
  })
  .meta({ id: 'ExportedConfiguration' });

export const driftSchema = z
  .object({
    stateHash: z.string(),
    drifted: z.boolean(),
    objects: z.array(
      z.object({
        type: kind,
        name: z.string(),
        objectId: z.string().meta({ description: 'Of the object in the API; of a member the address.' }),
        state: z.enum(['in_sync', 'drifted', 'missing']),
        fields: z.array(field).meta({ description: 'From what the file says to what there is.' }),
      }),
    ),
    unmanaged: z.array(named),
    lastApplied: z.object({ at: z.iso.datetime(), by: z.uuid() }).nullable(),
  })
  .meta({ id: 'ConfigurationDrift' });

export const schemaSchema = z.record(z.string(), z.unknown());

export function toChangesWire({ changes }: Pick<Plan, 'changes'>): z.input<typeof change>[] {
  return changes.map(({ action, kind: type, name, fields }) => ({
    action,
    type,
    name,
    fields: fields.map(toFieldWire),
  }));
}

function toFieldWire(given: PlannedField): z.input<typeof field> {
  return { ...given };
}

export function summarize({ changes }: Pick<Plan, 'changes'>): z.input<typeof summary> {
  const count = (action: string) => changes.filter((one) => one.action === action).length;
  return { create: count('create'), update: count('update'), delete: count('delete') };
}

export function toPlanWire(plan: Plan, stateHash: string): z.input<typeof planSchema> {
  return {
    stateHash,
    changes: toChangesWire(plan),
    summary: summarize(plan),
    adopted: plan.adopted.map(toNamedWire),
    unmanaged: plan.unmanaged.map(toNamedWire),
    unverifiedSecrets: plan.unverified.map(writeReference),
  };
}

export function toNamedWire(object: Pick<DriftedObject, 'kind' | 'name'>): z.input<typeof named> {
  return { type: object.kind, name: object.name };
}

export function toDriftedWire({ kind: type, fields, ...rest }: DriftedObject) {
  return { type, ...rest, fields: fields.map(toFieldWire) };
}
