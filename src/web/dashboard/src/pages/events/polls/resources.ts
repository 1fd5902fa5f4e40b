import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useIntegrations } from '../parts.tsx';

export type Resource = Schema<'PollResourceList'>['resources'][number];

export function resourcesQuery(provider: string, projectId: string) {
  return {
    ...apiQuery('/providers/{provider}/poll-resources', { path: { provider }, query: { projectId } }),
    staleTime: 300_000,
  };
}

/** What of the integration's provider can be polled; undefined until it is known. */
export function useResources(integrationId: string): readonly Resource[] | undefined {
  const projectId = useProjectId();
  const provider = useIntegrations(projectId)?.find(({ id }) => id === integrationId)?.serviceProvider;
  const found = useQuery({ ...resourcesQuery(provider ?? '', projectId), enabled: provider !== undefined });
  return found.data?.resources;
}
