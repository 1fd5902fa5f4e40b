import { useSearch } from '@tanstack/react-router';
import { useProjectId } from '../../app/project.ts';
import { Catalog } from './catalog.tsx';
import { SetUp } from './set-up.tsx';

/** `/p/<projectId>/integrations/new`: the catalog; with `?provider=` the page on which it is set up. */
export function NewIntegrationPage() {
  const projectId = useProjectId();
  const { provider }: { provider?: string } = useSearch({ strict: false });
  return provider ? (
    <SetUp key={provider} projectId={projectId} provider={provider} />
  ) : (
    <Catalog projectId={projectId} />
  );
}
