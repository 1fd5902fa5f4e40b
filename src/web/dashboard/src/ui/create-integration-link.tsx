import { Suspense } from 'react';
import { useProjectId } from '../app/project.ts';
import { useCanEdit } from '../app/session.ts';
import { useTexts } from '../texts/texts.tsx';
import { LinkButton } from './link.tsx';

/** To the catalog, where a page can do nothing without an integration; nothing for viewers, who may create none. */
export function CreateIntegrationLink() {
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  // Its words are of another area, for which the rest of the page does not wait.
  return <Suspense>{canEdit && <LinkToCatalog projectId={projectId} />}</Suspense>;
}

function LinkToCatalog({ projectId }: { projectId: string }) {
  const { integrations } = useTexts();
  return (
    <LinkButton size="compact-md" to="/p/$projectId/integrations/new" params={{ projectId }}>
      {integrations.create}
    </LinkButton>
  );
}
