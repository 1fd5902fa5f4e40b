import { z } from 'zod';
import {
  appliedSchema,
  driftSchema,
  exportSchema,
  planSchema,
} from '../../src/configuration/configuration.schema.ts';
import { readProjectName } from './project-name.ts';

/** What the gateway refused, or that it did not answer; the message says all. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly faults: readonly Fault[];
  /** Of the gateway's refusal. */
  readonly code: string | undefined;

  constructor(message: string, faults: readonly Fault[] = [], code?: string) {
    super(message);
    this.faults = faults;
    this.code = code;
  }
}

export type Fault = { readonly path: string; readonly message: string };
export type Planned = z.output<typeof planSchema>;
export type Drift = z.output<typeof driftSchema>;
export type GivenFile = {
  readonly configuration?: unknown;
  readonly secrets?: Readonly<Record<string, string>>;
};
type Project = { readonly id: string; readonly name: string };

const TIMEOUT_MS = 120_000;
const projectList = z.object({
  projects: z.array(z.object({ id: z.string(), name: z.string() })),
  nextCursor: z.string().nullable(),
});
const problem = z.object({
  detail: z.string(),
  remedy: z.string(),
  code: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
});

export type ConfigurationApi = ReturnType<typeof createConfigurationApi>;

/** The operations of the gateway that the command calls. */
export function createConfigurationApi(gatewayUrl: string, key: string) {
  const url = gatewayUrl.replace(/\/+$/, '');

  async function call<Schema extends z.ZodType>(
    schema: Schema,
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
  ): Promise<z.output<Schema>> {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      // A redirect would carry the key and the secrets to another server.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new ApiError(`${url} did not answer: ${cause instanceof Error ? cause.message : 'no reason'}`);
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (response.ok) return schema.parse(answer);
    const refused = problem.safeParse(answer);
    if (!refused.success) throw new ApiError(`${method} ${path} was answered ${response.status}.`);
    const { code, detail, remedy, errors } = refused.data;
    throw new ApiError(`${detail} (${code})\n${remedy}`, errors, code);
  }

  async function listAll(): Promise<Project[]> {
    const projects: Project[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: z.output<typeof projectList> = await call(
        projectList,
        'GET',
        `/projects?limit=200${after}`,
      );
      projects.push(...page.projects);
      cursor = page.nextCursor;
    }
    return projects;
  }

  const ofProject = (id: string, operation: string) => `/projects/${id}/configuration/${operation}`;
  const exportProject = (id: string) => call(exportSchema, 'POST', ofProject(id, 'export'), {});

  /** Those that there are; for a key that may list none, the one that `wanted` is the id of. */
  async function listProjects(wanted: string | undefined): Promise<Project[]> {
    try {
      return await listAll();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'scope_missing') throw error;
      const id = z.uuid().safeParse(wanted).data;
      if (id === undefined)
        throw new ApiError(`${error.message}\nOr name the project by its id: --project, or GATEWAY_PROJECT.`);
      const { configuration } = await exportProject(id);
      return [{ id, name: readProjectName({}, configuration) ?? id }];
    }
  }

  return {
    url,
    listProjects,
    /** By id or name; the only one where none is named. */
    async findProject(wanted: string | undefined, known?: readonly Project[]): Promise<Project> {
      const projects = known ?? (await listProjects(wanted));
      const found = projects.filter(
        ({ id, name }) => wanted === undefined || id === wanted || name === wanted,
      );
      const [only] = found;
      if (only !== undefined && found.length === 1) return only;
      const which = wanted === undefined ? 'Name one by --project' : `${found.length} are called ${wanted}`;
      throw new ApiError(`${which}: ${projects.map(({ id, name }) => `${name} (${id})`).join(', ')}`);
    },
    createProject: (name: string) =>
      call(z.object({ id: z.string(), name: z.string() }), 'POST', '/projects', { name }),
    export: exportProject,
    plan: (id: string, given: GivenFile) => call(planSchema, 'POST', ofProject(id, 'plan'), given),
    apply: (id: string, given: GivenFile & { readonly stateHash: string }) =>
      call(appliedSchema, 'POST', ofProject(id, 'apply'), given),
    drift: (id: string, given: GivenFile) => call(driftSchema, 'POST', ofProject(id, 'drift'), given),
  };
}
