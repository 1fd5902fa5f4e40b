import { z } from 'zod';
import { listQuery } from '../lib/cursor.ts';
import { TAGS_MAX } from '../lib/tags.schema.ts';
import { agentSignInSchema, createAgentSignInBody, toAgentSignInWire } from './agent-sign-in.schema.ts';
import type { Project } from './projects.store.ts';
import { displayName, judgedText } from './texts.schema.ts';
import { type UrlValidation, validateLogoUrl, validateOrigin, validateReturnUrl } from './web-addresses.ts';

const ORIGINS_MAX = 100;
const RETURN_URLS_MAX = 200;

const projectLimits = z.strictObject({
  proxyCallsPerMinute: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ description: 'Proxied calls that one end user may make per minute.' }),
  organizationCallsPerDay: z.number().int().min(1).max(1_000_000_000).optional().meta({
    description:
      'Proxied calls that the users of one organization may make together in 24 hours; beyond, `429 quota_exceeded`.',
  }),
});

/** The name of a claim that becomes a tag of the same name. */
const claimName = z.string().regex(/^[A-Za-z0-9_.:/-]{1,64}$/, 'The name of a claim, at most 64 characters');

const brandingShape = {
  displayName: z
    .string()
    .optional()
    .meta({ description: 'Shown to end users instead of the project’s name.' }),
  logoUrl: z
    .string()
    .optional()
    .meta({ description: 'An https image, shown beside the name. Browsers load it from there.' }),
  color: z
    .string()
    .optional()
    .meta({ description: 'Of buttons, as #rrggbb. Words and outlines get a shade of it that can be read.' }),
};

export const projectSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    allowedOrigins: z
      .array(z.string())
      .meta({ description: 'Web origins whose pages may call the gateway.' }),
    returnUrls: z.array(z.string()).meta({ description: 'Where authorizing by full-page redirect may end.' }),
    approvalPage: z.string().nullable().meta({
      description:
        'A page of yours that signs a person in and opens an approval for them. The address that an agent shows leads there, with the id as the parameter `approval`.',
    }),
    agentSignIn: agentSignInSchema.nullable().meta({
      description:
        'How a person signs in for an agent whose client knows nothing of your application: null, and nobody can (docs/agents.md).',
    }),
    limits: projectLimits,
    branding: z.object(brandingShape).meta({ description: 'How the hosted connect pages look.' }),
    tagClaims: z.array(z.string()).meta({
      description:
        'Claims of user tokens whose values become tags of the connections that are made with them.',
    }),
    requireMandate: z.boolean().meta({
      description:
        'Every user token without a mandate is `403 mandate_required`, at the proxy and at this API.',
    }),
    frozen: z.object({ at: z.iso.datetime(), reason: z.string().nullable() }).nullable().meta({
      description:
        'Set by `POST …/freeze`: calls are `423 project_frozen`, nothing is refreshed, polled or delivered.',
    }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Project' });

export type ProjectWire = z.input<typeof projectSchema>;

export const projectList = z
  .object({ projects: z.array(projectSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'ProjectList' });

export const projectParams = z.strictObject({ projectId: z.uuid() });
export const projectsQuery = z.strictObject(listQuery);

/** The parts of a branding, each checked. */
export const brandingFields = {
  displayName: displayName.optional().meta(brandingShape.displayName.meta() ?? {}),
  logoUrl: judgedText(validateLogoUrl)
    .optional()
    .meta(brandingShape.logoUrl.meta() ?? {}),
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'A colour as #rrggbb')
    .optional()
    .meta(brandingShape.color.meta() ?? {}),
};

/** `allowInsecure` lets plain http stand for any host, for gateways that live in a private network. */
export function createProjectBodies(options: { allowInsecure: boolean }) {
  const allowedOrigins = distinct(ORIGINS_MAX, (text) => validateOrigin(text, options));
  const returnUrls = distinct(RETURN_URLS_MAX, (text) => validateReturnUrl(text, options));
  const approvalPage = judgedText((text) => validateReturnUrl(text, options)).nullable();
  const agentSignIn = createAgentSignInBody(options).nullable();
  const branding = z.strictObject(brandingFields);
  const tagClaims = z
    .array(claimName)
    .max(TAGS_MAX)
    .refine((names) => new Set(names).size === names.length, 'Each one once');
  return {
    create: z.strictObject({
      name: displayName,
      allowedOrigins: allowedOrigins.optional(),
      returnUrls: returnUrls.optional(),
      approvalPage: approvalPage.optional(),
      agentSignIn: agentSignIn.optional(),
      limits: projectLimits.optional(),
      branding: branding.optional(),
      tagClaims: tagClaims.optional(),
      requireMandate: z.boolean().optional(),
    }),
    update: z.strictObject({
      name: displayName.optional(),
      allowedOrigins: allowedOrigins.optional(),
      returnUrls: returnUrls.optional(),
      approvalPage: approvalPage.optional(),
      agentSignIn: agentSignIn.optional(),
      limits: projectLimits.optional(),
      branding: branding.optional(),
      tagClaims: tagClaims.optional(),
      requireMandate: z.boolean().optional(),
    }),
  };
}

function distinct(max: number, judge: (text: string) => UrlValidation) {
  return z
    .array(judgedText(judge))
    .max(max)
    .refine((items) => new Set(items).size === items.length, 'Each one once');
}

export function toProjectWire(project: Project): ProjectWire {
  return {
    id: project.id,
    name: project.name,
    allowedOrigins: project.allowedOrigins,
    returnUrls: project.returnUrls,
    approvalPage: project.approvalPage,
    agentSignIn: toAgentSignInWire(project.agentSignIn, project.hasAgentSignInSecret),
    limits: project.limits,
    branding: project.branding,
    tagClaims: project.tagClaims,
    requireMandate: project.requireMandate,
    frozen: project.frozen && { at: project.frozen.at.toISOString(), reason: project.frozen.reason },
    createdAt: project.createdAt.toISOString(),
    updatedAt: project.updatedAt.toISOString(),
  };
}

export const deleteProjectQuery = z.strictObject({ force: z.enum(['true', 'false']).default('false') });
