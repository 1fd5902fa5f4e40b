import { useSearch } from '@tanstack/react-router';
import { useProjectId } from '../../app/project.ts';
import { Catalog } from './catalog.tsx';
import { SetUp } from './set-up-part.ts';

/** `/p/<projectId>/integrations/new`: the catalog; with `?provider=`, and `?grant=` where it has several, the page on which it is set up. */
export function NewIntegrationPage() {
  const projectId = useProjectId();
  const { provider, grant }: { provider?: string; grant?: string } = useSearch({ strict: false });
  return provider ? (
    <SetUp key={provider} projectId={projectId} provider={provider} grant={grant} />
  ) : (
    <Catalog projectId={projectId} />
  );
}
