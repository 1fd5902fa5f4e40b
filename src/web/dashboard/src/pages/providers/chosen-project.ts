import { useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { lastProject, rememberProject, useProjects } from '../../app/project.ts';

/** The project whose providers are shown: of the address, else the one looked at last; undefined until it is known. With the query of all of them. */
export function useChosenProject() {
  const { projectId }: { projectId?: string } = useSearch({ strict: false });
  const query = useProjects();
  const projects = query.data?.projects ?? [];
  const wanted = projectId ?? lastProject();
  const chosen = projects.find(({ id }) => id === wanted) ?? projects[0];
  const chosenId = chosen?.id;
  useEffect(() => {
    if (chosenId !== undefined) rememberProject(chosenId);
  }, [chosenId]);
  return { projects, chosen, query };
}
