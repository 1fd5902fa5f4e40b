import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { findStatus } from '../../api/problem.ts';
import { apiQuery } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import { useTitle } from '../../frame/root.tsx';
import { useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IdChip } from '../../ui/id-chip.tsx';
import { LinkButton, TextLink } from '../../ui/link.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { RemedyText } from '../../ui/problem-text.tsx';
import { ProviderMark, useProviderName } from '../../ui/provider-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { CallFacts } from './call-facts.tsx';
import { type Call, CallStatus, chooseTone } from './call-parts.tsx';
import { Timing } from './call-timing.tsx';
import styles from './calls.module.css';
import { RequestActivity } from './request-activity.tsx';

/** All that is known of one request id. */
export function CallPage() {
  const { requestId = '' } = useParams({ strict: false });
  const projectId = useProjectId();
  const call = useQuery(
    apiQuery('/projects/{projectId}/calls/{requestId}', { path: { projectId, requestId } }),
  );
  const status = findStatus(call.error);
  if (status === 404 || status === 400) return <NotKept requestId={requestId} />;
  return (
    <Loaded query={call} isPage>
      {(it) => <CallDetail call={it} />}
    </Loaded>
  );
}

/** The calls' list, one page up. */
function useParent() {
  const { calls: texts } = useTexts();
  const projectId = useProjectId();
  return { label: texts.title, link: { to: `/p/${projectId}/calls` } };
}

function NotKept({ requestId }: { requestId: string }) {
  const { calls: texts } = useTexts();
  const parent = useParent();
  return (
    <>
      <PageHead title={texts.callTitle} parent={parent} meta={<IdChip id={requestId} />} />
      <EmptyState icon="search" title={texts.call.notKept} text={texts.call.notKeptText} />
      <RequestActivity requestId={requestId} title={texts.call.notProxied} />
    </>
  );
}

function CallDetail({ call }: { call: Call }) {
  const { calls: texts } = useTexts();
  const parent = useParent();
  const title = `${call.method} ${call.path}`;
  useTitle(title);
  return (
    <>
      <PageHead
        title={title}
        parent={parent}
        state={<CallStatus call={call} />}
        meta={
          <>
            <ProviderMark id={call.provider} size={16} />
            <IdChip id={call.requestId} />
            <Time at={call.at} />
          </>
        }
        actions={<SendAgain call={call} />}
      />
      <Verdict call={call} />
      <div className={styles.two}>
        <div>
          <Section title={texts.call.timing}>
            <Timing call={call} />
          </Section>
          <Section title={texts.call.whatHappened}>
            <CallFacts call={call} />
          </Section>
        </div>
        {(call.connectionId ?? call.integrationId ?? call.userId) !== null && (
          <div>
            <Section title={texts.call.links}>
              <Links call={call} />
            </Section>
          </div>
        )}
      </div>
      <RequestActivity requestId={call.requestId} title={texts.call.activity} />
    </>
  );
}

/** Whose error it was, and what to do about it. */
function Verdict({ call }: { call: Call }) {
  const { calls: texts, problem } = useTexts();
  const name = useProviderName(call.provider);
  if (call.origin === 'none' && call.code === null) return null;
  const title =
    call.origin === 'gateway'
      ? texts.call.gatewayRefused
      : call.origin === 'provider'
        ? texts.call.providerRefused
        : texts.call.noAnswer;
  const isDocumented = call.code !== null && call.origin === 'gateway';
  return (
    <div className="block">
      <Notice
        tone={chooseTone(call)}
        title={call.code ? `${title}: ${call.code}` : title}
        foot={
          call.tokenFault !== null ? (
            <TokenCheckLink />
          ) : (
            isDocumented && <a href={`/docs/errors#${call.code}`}>{problem.explain}</a>
          )
        }
      >
        {call.tokenFault !== null
          ? texts.call.tokenFaults[call.tokenFault]
          : (remedyOf(call, texts.call.endings) ?? texts.call.providerRemedy(name))}
      </Notice>
    </div>
  );
}

/** How a call ended without an answer is no refusal, and has words of the page. */
function remedyOf({ code, remedy }: Call, endings: Readonly<Record<string, string>>): ReactNode {
  if (code === null || remedy === null) return undefined;
  return endings[code] ?? <RemedyText name={code} remedy={remedy} />;
}

function TokenCheckLink() {
  const { call: texts } = useTexts().calls;
  const projectId = useProjectId();
  return (
    <TextLink
      to="/p/$projectId/settings/$section"
      params={{ projectId, section: 'signing-keys' }}
      hash="check-a-token"
    >
      {texts.checkToken}
    </TextLink>
  );
}

function Links({ call }: { call: Call }) {
  const { call: texts } = useTexts().calls;
  const projectId = useProjectId();
  const { connectionId, integrationId, userId } = call;
  return (
    <ul className={`bare-list ${styles.linkList}`}>
      {connectionId && (
        <li>
          <TextLink to="/p/$projectId/calls" params={{ projectId }} search={{ connectionId }}>
            {texts.sameConnection}
          </TextLink>
        </li>
      )}
      {integrationId && (
        <li>
          <TextLink to="/p/$projectId/calls" params={{ projectId }} search={{ integrationId }}>
            {texts.sameIntegration}
          </TextLink>
        </li>
      )}
      {userId && (
        <li>
          <TextLink to="/p/$projectId/calls" params={{ projectId }} search={{ userId }}>
            {texts.sameUser}
          </TextLink>
        </li>
      )}
    </ul>
  );
}

function SendAgain({ call }: { call: Call }) {
  const { call: texts } = useTexts().calls;
  const projectId = useProjectId();
  const search = {
    provider: call.provider,
    method: call.method,
    path: call.path,
    ...(call.connectionId && { connectionId: call.connectionId }),
    ...(call.userId && !call.userId.startsWith('operator:') && { userId: call.userId }),
  };
  return (
    <LinkButton variant="default" to="/p/$projectId/console" params={{ projectId }} search={search}>
      {texts.sendAgain}
    </LinkButton>
  );
}
