import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, apiQuery, refresh } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';

export function useProject() {
  const projectId = useProjectId();
  return useQuery(apiQuery('/projects/{projectId}', { path: { projectId } }));
}

export type Project = NonNullable<ReturnType<typeof useProject>['data']>;

/** What of a project one of its forms changes. */
export type ProjectChange = Parameters<typeof api.patch<'/projects/{projectId}'>>[1]['body'];

/**
 * Changes the project. `change` gets it as it is now: lists are replaced as a whole, and another operator may have added
 * to them meanwhile.
 */
export function useChangeProject(onSaved?: () => void) {
  const projectId = useProjectId();
  const client = useQueryClient();
  const path = { projectId };
  return useMutation({
    mutationFn: async (change: (project: Project) => ProjectChange) => {
      const current = await api.get('/projects/{projectId}', { path });
      return api.patch('/projects/{projectId}', { path, body: change(current) });
    },
    onSuccess: async (project) => {
      client.setQueryData(apiQuery('/projects/{projectId}', { path }).queryKey, project);
      // Before the form that asked for it is drawn again, which would lose a call-back of its own.
      onSaved?.();
      await refresh(client, '/projects', '/activity');
    },
  });
}
