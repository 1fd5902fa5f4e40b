import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Provider } from '../../api/catalog.ts';
import { requestWithEtag, type Tagged } from '../../api/client.ts';
import { RoleProblem } from '../../frame/role-problem.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { useChosenProject } from './chosen-project.ts';
import { CustomProviderEditor } from './custom-provider-editor.tsx';

const NEW = 'new';

/** `/providers/custom/<id>`, and `/providers/custom/new`: the description with its dry run beside it. */
export function CustomProviderPage() {
  const { provider = NEW } = useParams({ strict: false });
  const { chosen, query } = useChosenProject();
  if (chosen === undefined) return <QueryProblem queries={[query]} />;
  return (
    <>
      <RoleProblem projectId={chosen.id} />
      {provider === NEW ? (
        <CustomProviderEditor projectId={chosen.id} tagged={undefined} />
      ) : (
        <ExistingProvider key={provider} projectId={chosen.id} provider={provider} />
      )}
    </>
  );
}

function ExistingProvider({ projectId, provider }: { projectId: string; provider: string }) {
  const query = useQuery(ownProviderQuery(projectId, provider));
  return (
    <Loaded query={query} isPage>
      {(tagged) => <CustomProviderEditor key={tagged.etag} projectId={projectId} tagged={tagged} />}
    </Loaded>
  );
}

/** An own provider with the ETag that its form sends back. Not asked again behind the operator's back. */
function ownProviderQuery(projectId: string, provider: string) {
  const parts = { path: { provider }, query: { projectId } };
  return {
    queryKey: ['/providers/{provider}', parts, 'tagged'],
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<Tagged<Provider>> =>
      requestWithEtag('GET', '/providers/{provider}', { ...parts, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  };
}
