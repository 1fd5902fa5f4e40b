import { z } from 'zod';
import { listQuery } from '../lib/cursor.ts';
import type { Project } from './projects.store.ts';
import { displayName } from './texts.schema.ts';
import { type Judged, judgeOrigin, judgeReturnUrl } from './web-addresses.ts';

const ORIGINS_MAX = 100;
const RETURN_URLS_MAX = 200;

export const projectLimits = z.strictObject({
  proxyCallsPerMinute: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ description: 'Proxied calls that one end user may make per minute.' }),
});

export const projectSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    allowedOrigins: z
      .array(z.string())
      .meta({ description: 'Web origins whose pages may call the gateway.' }),
    returnUrls: z.array(z.string()).meta({ description: 'Where authorizing by full-page redirect may end.' }),
    limits: projectLimits,
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Project' });

export type ProjectWire = z.input<typeof projectSchema>;

export const projectList = z
  .object({ projects: z.array(projectSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'ProjectList' });

export const projectParams = z.object({ projectId: z.uuid() });
export const projectsQuery = z.object(listQuery);

/** `allowInsecure` lets plain http stand for any host, for gateways that live in a private network. */
export function createProjectBodies(options: { allowInsecure: boolean }) {
  const allowedOrigins = distinct(ORIGINS_MAX, (text) => judgeOrigin(text, options));
  const returnUrls = distinct(RETURN_URLS_MAX, (text) => judgeReturnUrl(text, options));
  return {
    create: z.strictObject({
      name: displayName,
      allowedOrigins: allowedOrigins.optional(),
      returnUrls: returnUrls.optional(),
      limits: projectLimits.optional(),
    }),
    update: z.strictObject({
      name: displayName.optional(),
      allowedOrigins: allowedOrigins.optional(),
      returnUrls: returnUrls.optional(),
      limits: projectLimits.optional(),
    }),
  };
}

function distinct(max: number, judge: (text: string) => Judged) {
  const item = z.string().superRefine((text, context) => {
    const judged = judge(text);
    if (!judged.ok) context.addIssue({ code: 'custom', message: judged.message });
  });
  return z
    .array(item)
    .max(max)
    .refine((items) => new Set(items).size === items.length, 'Each one once');
}

export function toProjectWire(project: Project): ProjectWire {
  return {
    id: project.id,
    name: project.name,
    allowedOrigins: project.allowedOrigins,
    returnUrls: project.returnUrls,
    limits: project.limits,
    createdAt: project.createdAt.toISOString(),
    updatedAt: project.updatedAt.toISOString(),
  };
}
