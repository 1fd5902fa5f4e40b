import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ChangeOf, changeCurrent } from '../../api/change.ts';
import { apiQuery } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import type { Form } from '../../ui/form.ts';
import { sendEdit } from '../../ui/send-edit.ts';
import { useSave } from '../../ui/use-save.ts';

const TEMPLATE = '/projects/{projectId}';

export function useProject() {
  const projectId = useProjectId();
  return useQuery(apiQuery(TEMPLATE, { path: { projectId } }));
}

export type Project = NonNullable<ReturnType<typeof useProject>['data']>;

/** What of a project one of its forms changes. */
export type ProjectChange = ChangeOf<typeof TEMPLATE>;

type SaveOptions<V> = Pick<Parameters<typeof useSave<V>>[0], 'form' | 'done' | 'onDone'>;

type ChangeOptions<V> = SaveOptions<V> & { readonly change: (input: V, project: Project) => ProjectChange };

/** Changes the project. `change` gets it as it is now: another operator may have added to its lists meanwhile. */
export function useChangeProject<V>({ change, ...rest }: ChangeOptions<V>) {
  const path = { projectId: useProjectId() };
  const keep = useKeepProject();
  return useSave({
    send: async (input: V) => keep(await changeCurrent(TEMPLATE, path, (now) => change(input, now))),
    refresh: ['/projects', '/activity'],
    ...rest,
  });
}

type EditOptions<V extends object> = Omit<SaveOptions<V>, 'form'> & {
  readonly form: Form<V>;
  /** What the form is filled with. */
  readonly read: (project: Project) => V;
  /** Limits, branding and the sign-in of agents are replaced as a whole: what the form does not hold comes from `now`. */
  readonly write: (values: V, now: Project) => ProjectChange;
};

/** Saves a form of the project's settings. What another operator changed meanwhile stays. */
export function useEditProject<V extends object>({ form, read, write, ...rest }: EditOptions<V>) {
  const path = { projectId: useProjectId() };
  const keep = useKeepProject();
  return useSave({
    send: async (values: V) =>
      keep(await sendEdit({ template: TEMPLATE, path, form, values, read, write, onLoadAgain: keep })),
    form,
    refresh: ['/projects', '/activity'],
    ...rest,
  });
}

function useKeepProject() {
  const client = useQueryClient();
  return (project: Project): void => {
    const { queryKey } = apiQuery(TEMPLATE, { path: { projectId: project.id } });
    client.setQueryData(queryKey, project);
  };
}
