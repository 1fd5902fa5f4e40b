import { Button } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Suspense, useRef, useState } from 'react';
import { requestWithEtag, type Tagged } from '../../api/client.ts';
import { findStatus } from '../../api/problem.ts';
import { useProjectId } from '../../app/project.ts';
import { useCanEdit } from '../../app/session.ts';
import { useTitle } from '../../frame/root.tsx';
import { useTexts } from '../../texts/texts.tsx';
import { IdChip } from '../../ui/id-chip.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { ManagedByFile } from '../../ui/managed-by-file.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Facts, PageHead, Section } from '../../ui/page.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Time } from '../../ui/time.tsx';
import { integrationsQuery } from './integrations-query.ts';
import type { Mandate } from './mandate.ts';
import { MandateState } from './mandate-state.tsx';

const MandateEditor = lazyPart(() => import('./mandate-editor.tsx'), 'MandateEditor');
const MandateReader = lazyPart(() => import('./mandate-reader.tsx'), 'MandateReader');
const MandateActions = lazyPart(() => import('./mandate-actions.tsx'), 'MandateActions');
const MandateUses = lazyPart(() => import('./mandate-uses.tsx'), 'MandateUses');

const TEMPLATE = '/projects/{projectId}/mandates/{id}';

function mandateQuery(projectId: string, id: string) {
  const path = { projectId, id };
  return queryOptions({
    queryKey: [TEMPLATE, { path }, 'tagged'],
    queryFn: ({ signal }) => requestWithEtag<Mandate>('GET', TEMPLATE, { path, signal }),
  });
}

/** One mandate: what it allows and for whom it was used; for those who may, its editor. */
export function MandatePage() {
  const { mandateId = '' } = useParams({ strict: false });
  const projectId = useProjectId();
  const mandate = useQuery(mandateQuery(projectId, mandateId));
  return (
    <Loaded query={mandate} isPage>
      {(tagged) => <MandateDetail tagged={tagged} />}
    </Loaded>
  );
}

function MandateDetail({ tagged }: { tagged: Tagged<Mandate> }) {
  const { mandates: texts } = useTexts();
  const mandate = tagged.value;
  const { projectId } = mandate;
  const canEdit = useCanEdit(projectId);
  useTitle(mandate.name);
  return (
    <>
      <PageHead
        title={mandate.name}
        parent={{ label: texts.title, link: { to: `/p/${projectId}/mandates` } }}
        state={<MandateState state={mandate.state} />}
        meta={
          <span>
            {texts.changed} <Time at={mandate.updatedAt} />
          </span>
        }
        actions={<Suspense>{canEdit && <MandateActions mandate={mandate} />}</Suspense>}
      />
      <ManagedByFile objectId={mandate.id} />
      {mandate.state === 'frozen' && (
        <div className="block">
          <Notice tone="warning" title={texts.frozenTitle}>
            {texts.frozenText}
          </Notice>
        </div>
      )}
      <Suspense>{canEdit ? <Editor tagged={tagged} /> : <MandateReader mandate={mandate} />}</Suspense>
      <Suspense>
        <MandateUses mandateId={mandate.id} />
      </Suspense>
      <Section>
        <Facts
          facts={[
            [texts.id, <IdChip key="id" id={mandate.id} />],
            [texts.created, <Time key="created" at={mandate.createdAt} />],
          ]}
        />
      </Section>
    </>
  );
}

function isSame(one: Mandate, other: Mandate): boolean {
  return one.name === other.name && JSON.stringify(one.entries) === JSON.stringify(other.entries);
}

/** A change made meanwhile by another operator is not overwritten. */
function Editor({ tagged }: { tagged: Tagged<Mandate> }) {
  const { mandates: texts, common } = useTexts();
  const client = useQueryClient();
  // What the form was filled with: a reload in the background must not change what the operator is editing.
  const [base, setBase] = useState(tagged);
  const saved = useRef(tagged);
  const { id, projectId, name, entries } = base.value;
  const integrations = useQuery(integrationsQuery(projectId));
  const query = mandateQuery(projectId, id);
  // Freezing changes nothing that this form holds.
  const etag = isSame(base.value, tagged.value) ? tagged.etag : base.etag;
  const loadAgain = async () => setBase(await client.fetchQuery({ ...query, staleTime: 0 }));
  const conflict = (
    <Notice
      tone="warning"
      title={texts.conflictTitle}
      isAlert
      foot={
        <Button variant="default" size="compact-sm" onClick={() => void loadAgain()}>
          {texts.loadAgain}
        </Button>
      }
    >
      {texts.conflictText}
    </Notice>
  );
  return (
    <>
      <QueryProblem queries={[integrations]} />
      <MandateEditor
        key={base.etag}
        name={name}
        entries={entries}
        submit={common.save}
        done={texts.saved}
        send={async (body) => {
          const header = { 'If-Match': etag };
          saved.current = await requestWithEtag('PATCH', TEMPLATE, { path: { projectId, id }, header, body });
          return saved.current.value;
        }}
        onSaved={() => setBase(saved.current)}
        notice={(error) => (findStatus(error) === 412 ? conflict : undefined)}
      />
    </>
  );
}
