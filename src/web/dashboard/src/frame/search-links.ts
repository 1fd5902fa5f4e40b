import type { SearchResult } from '../api/operators.ts';

/** The page of a search result; undefined for one of no project when the page has none either. */
export function hrefOfResult(
  { kind, id, projectId }: SearchResult,
  currentProjectId: string | undefined,
): string | undefined {
  if (kind === 'project') return `/p/${id}`;
  const project = projectId ?? currentProjectId;
  if (project === undefined) return undefined;
  const text = encodeURIComponent(id);
  const paths = {
    user: `connections?integrationUserId=${text}`,
    connection: `connections/${text}`,
    integration: `integrations/${text}`,
    provider: `integrations/new?provider=${text}`,
    request: `calls/${text}`,
  };
  return `/p/${project}/${paths[kind]}`;
}
