import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { apiQuery, refresh } from '../api/queries.ts';

const STORED = 'dashboard-project';

/** The project of a page below `/p/<projectId>`. Throws on any other. */
export function useProjectId(): string {
  const projectId = useOptionalProjectId();
  if (projectId === undefined) throw new Error('This page belongs to no project');
  return projectId;
}

/** The same; undefined on pages of no project. */
export function useOptionalProjectId(): string | undefined {
  const { projectId } = useParams({ strict: false });
  return projectId;
}

/** The operator's projects, up to 200. */
export const projectsQuery = apiQuery('/projects', { query: { limit: 200 } });

/** `isNeeded`: whether to ask for them at all. */
export function useProjects(isNeeded = true) {
  return useQuery({ ...projectsQuery, staleTime: 30_000, enabled: isNeeded });
}

/** The project; undefined until it is known. Every page of a project has asked for it. */
export function useKnownProject(projectId: string | undefined) {
  const query = apiQuery('/projects/{projectId}', { path: { projectId: projectId ?? '' } });
  return useQuery({ ...query, staleTime: 30_000, enabled: projectId !== undefined }).data;
}

export function useProjectName(projectId: string | undefined): string | undefined {
  return useKnownProject(projectId)?.name;
}

/** Where the navigation leads on pages of no project: the one looked at last. */
export function rememberProject(projectId: string): void {
  try {
    localStorage.setItem(STORED, projectId);
  } catch {
    // Storage is switched off: the first project is taken instead.
  }
}

/** After it was deleted, or left. A list from before would lead back to it, so that no page that opens may show one. */
export async function forgetProject(client: QueryClient, projectId: string): Promise<void> {
  forgetStored(projectId);
  client.removeQueries({ queryKey: ['/projects'], type: 'inactive' });
  await refresh(client, '/projects');
}

function forgetStored(projectId: string): void {
  try {
    if (localStorage.getItem(STORED) === projectId) localStorage.removeItem(STORED);
  } catch {
    // Nothing is remembered where storage is switched off.
  }
}

export function lastProject(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

/** On pages of no project: the one that the address asks for, the one looked at last, or the first. */
export function useNavigationProject(): string | undefined {
  const current = useOptionalProjectId();
  const { projectId: asked }: { projectId?: string } = useSearch({ strict: false });
  const projects = useProjects(current === undefined).data?.projects;
  if (current !== undefined) return current;
  const last = asked ?? lastProject();
  return (projects?.find(({ id }) => id === last) ?? projects?.[0])?.id;
}
