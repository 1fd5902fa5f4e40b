import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { findCode } from '../../api/problem.ts';
import { api, apiQuery } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import { useCanEdit } from '../../app/session.ts';
import { useTitle } from '../../frame/root.tsx';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { IdChip } from '../../ui/id-chip.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Facts, PageHead, Section } from '../../ui/page.tsx';
import { ProviderMark } from '../../ui/provider-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { useAction } from '../../ui/use-action.ts';
import { type Approval, ApprovalState, nameAsker, nameCall } from './approval-parts.tsx';
import { showUnseen } from './show-unseen.ts';

const LOOK_MS = 5_000;

function hasEnded(approval: Approval | undefined): boolean {
  return approval !== undefined && approval.endedAt !== null;
}

/** The exact call that is asked for, and what an operator says to it. */
export function ApprovalPage() {
  const { approvalId = '' } = useParams({ strict: false });
  const approval = useQuery({
    ...apiQuery('/approvals/{id}', { path: { id: approvalId } }),
    // Another operator may decide, and the caller may send it.
    refetchInterval: ({ state }) => (hasEnded(state.data) ? false : LOOK_MS),
  });
  return (
    <Loaded query={approval} isPage>
      {(it) => <ApprovalDetail approval={it} />}
    </Loaded>
  );
}

function ApprovalDetail({ approval }: { approval: Approval }) {
  const { approvals: texts } = useTexts();
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const title = nameCall(approval, texts);
  useTitle(title);
  return (
    <>
      <PageHead
        title={title}
        parent={{ label: texts.title, link: { to: `/p/${projectId}/approvals` } }}
        state={<ApprovalState approval={approval} />}
        meta={
          <>
            <ProviderMark id={approval.serviceProvider} size={16} />
            <IdChip id={approval.id} />
            <Time at={approval.createdAt} />
          </>
        }
        actions={canEdit && <Decision approval={approval} />}
      />
      {approval.state === 'pending' && (
        <div className="block">
          <Notice tone="info" title={approval.mode === 'once' ? texts.onceTitle : texts.eachTitle}>
            {approval.mode === 'once' ? texts.onceText : texts.eachText}
          </Notice>
        </div>
      )}
      <Section title={texts.facts}>
        <ApprovalFacts approval={approval} />
      </Section>
      {approval.call === null ? (
        <Section title={texts.call}>
          <p className="soft">{texts.erased}</p>
        </Section>
      ) : (
        <ExactCall call={approval.call} />
      )}
    </>
  );
}

function Decision({ approval }: { approval: Approval }) {
  const { approvals: texts } = useTexts();
  const path = { id: approval.id };
  const overtaken = {
    refresh: ['/approvals', '/approvals/{id}', '/activity'],
    refused: (error: unknown) => (findCode(error) === 'approval_decided' ? texts.overtaken : undefined),
  };
  const approve = useAction({
    send: () => api.post('/approvals/{id}/approve', { path }),
    done: texts.approved,
    ...overtaken,
  });
  const reject = useAction({
    send: () => api.post('/approvals/{id}/reject', { path }),
    done: texts.rejected,
    ...overtaken,
  });
  const { state } = approval;
  return (
    <>
      {(state === 'pending' || state === 'approved') && (
        <Button variant="default" loading={reject.isPending} onClick={() => reject.mutate()}>
          {texts.reject}
        </Button>
      )}
      {state === 'pending' && (
        <Button loading={approve.isPending} onClick={() => approve.mutate()}>
          {texts.approve}
        </Button>
      )}
    </>
  );
}

function ApprovalFacts({ approval }: { approval: Approval }) {
  const { approvals: texts } = useTexts();
  const projectId = useProjectId();
  const { connectionId, decidedBy, decidedAt, endedAt } = approval;
  return (
    <Facts
      facts={[
        [texts.user, approval.userId],
        [texts.asker, nameAsker(approval, texts) ?? texts.unnamed],
        [
          texts.connection,
          <IdChip key="connection" id={connectionId} href={`/p/${projectId}/connections/${connectionId}`} />,
        ],
        ...(endedAt === null
          ? [[texts.expires, <Time key="expires" at={approval.expiresAt} isPlanned />] as const]
          : []),
        ...(decidedAt === null ? [] : [[texts.decided, <Time key="decided" at={decidedAt} />] as const]),
        ...(decidedBy === null ? [] : [[texts.decidedBy, texts.deciders[decidedBy.kind]] as const]),
      ]}
    />
  );
}

function ExactCall({ call }: { call: NonNullable<Approval['call']> }) {
  const { approvals: texts } = useTexts();
  const { host, path, query, headers = [], body } = call;
  const fields = headers.map(({ name, value }) => `${name}: ${value}`).join('\n');
  const shown = body.text ?? body.base64 ?? '';
  return (
    <>
      <Section title={texts.call} lead={texts.unseen}>
        <Facts
          facts={[
            ...(host === null ? [] : [[texts.host, host] as const]),
            [texts.path, <code key="path">{showUnseen(path || '/')}</code>],
            [texts.query, query === '' ? '–' : <code key="query">{showUnseen(query)}</code>],
          ]}
        />
      </Section>
      <Section title={texts.headers}>
        {fields === '' ? '–' : <CodeBlock code={showUnseen(fields)} label={texts.headers} />}
      </Section>
      <Section title={texts.body} lead={body.text === null ? texts.binary : undefined}>
        {body.bytes === 0 ? '–' : <CodeBlock code={showUnseen(shown)} label={texts.body} />}
      </Section>
    </>
  );
}
