import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense } from 'react';
import { api } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import { useCanEdit } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CreateIntegrationLink } from '../../ui/create-integration-link.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHead } from '../../ui/page.tsx';
import { callsQuery, pickFilters } from './calls-of-log.ts';
import { FoldedCalls } from './folded-calls.tsx';
import type { Entry } from './mandate.ts';

const MandateEditor = lazyPart(() => import('./mandate-editor.tsx'), 'MandateEditor');

import { integrationsQuery } from './integrations-query.ts';

/** An empty mandate, or the smallest one that allows the calls of the log that the address names. */
export function NewMandatePage() {
  const { mandates: texts } = useTexts();
  const projectId = useProjectId();
  const search: Record<string, unknown> = useSearch({ strict: false });
  return (
    <>
      <PageHead
        title={texts.newTitle}
        parent={{ label: texts.title, link: { to: `/p/${projectId}/mandates` } }}
      />
      {search.from === 'calls' ? <OfCalls filters={pickFilters(search)} /> : <NewMandate entries={[]} />}
    </>
  );
}

function OfCalls({ filters }: { filters: Readonly<Record<string, string>> }) {
  const projectId = useProjectId();
  const calls = useQuery(callsQuery(projectId, filters));
  return (
    <Loaded query={calls}>
      {(found) => (
        <>
          <FoldedCalls found={found} filters={filters} />
          {found.entries !== undefined && found.entries.length > 0 && <NewMandate entries={found.entries} />}
        </>
      )}
    </Loaded>
  );
}

function NewMandate({ entries }: { entries: readonly Entry[] }) {
  const { mandates: texts, common } = useTexts();
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const navigate = useNavigate();
  const integrations = useQuery(integrationsQuery(projectId));
  if (!canEdit) return <Notice tone="info" title={common.viewerNote} />;
  return (
    <Loaded query={integrations}>
      {(list) =>
        list.integrations.length === 0 && entries.length === 0 ? (
          <Notice tone="info" title={texts.noIntegrations} foot={<CreateIntegrationLink />} />
        ) : (
          <Suspense>
            <MandateEditor
              name=""
              entries={entries}
              submit={texts.create}
              done={texts.saved}
              send={(body) => api.post('/projects/{projectId}/mandates', { path: { projectId }, body })}
              onSaved={({ id }) =>
                navigate({ to: '/p/$projectId/mandates/$mandateId', params: { projectId, mandateId: id } })
              }
            />
          </Suspense>
        )
      }
    </Loaded>
  );
}
