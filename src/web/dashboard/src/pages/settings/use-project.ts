import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, apiQuery } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import { useSave } from '../../ui/use-save.ts';

export function useProject() {
  const projectId = useProjectId();
  return useQuery(apiQuery('/projects/{projectId}', { path: { projectId } }));
}

export type Project = NonNullable<ReturnType<typeof useProject>['data']>;

/** What of a project one of its forms changes. */
export type ProjectChange = Parameters<typeof api.patch<'/projects/{projectId}'>>[1]['body'];

type ChangeOptions<V> = Pick<Parameters<typeof useSave<V>>[0], 'form' | 'done' | 'onDone'> & {
  readonly change: (input: V, project: Project) => ProjectChange;
};

/**
 * Changes the project. `change` gets it as it is now: lists are replaced as a whole, and another operator may have added
 * to them meanwhile.
 */
export function useChangeProject<V>({ change, ...rest }: ChangeOptions<V>) {
  const projectId = useProjectId();
  const client = useQueryClient();
  const path = { projectId };
  return useSave({
    send: async (input: V) => {
      const current = await api.get('/projects/{projectId}', { path });
      const project = await api.patch('/projects/{projectId}', { path, body: change(input, current) });
      client.setQueryData(apiQuery('/projects/{projectId}', { path }).queryKey, project);
    },
    refresh: ['/projects', '/activity'],
    ...rest,
  });
}
