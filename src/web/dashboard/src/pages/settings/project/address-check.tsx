import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { gatewayQuery } from '../../../api/operators.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Section } from '../../../ui/page.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import styles from '../settings.module.css';
import { type Project, type ProjectChange, useChangeProject } from '../use-project.ts';
import { judgeOrigin, judgeReturnUrl, type Nearest, readAddress } from './judge-address.ts';

/** Says of any address whether its page may use the SDK and be returned to, and by which entry. */
export function AddressCheck({ project }: { project: Project }) {
  const { project: texts } = useTexts().settings;
  const [typed, setTyped] = useState('');
  const page = readAddress(typed);
  const isNoAddress = typed.trim() !== '' && page === undefined;
  return (
    <Section title={texts.checkTitle} lead={texts.checkLead}>
      <TextInput
        label={texts.checkField}
        placeholder="https://app.example.com/settings/integrations"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={isNoAddress && texts.checkNotAnAddress}
        inputMode="url"
        spellCheck={false}
        maw="40rem"
      />
      <div aria-live="polite">
        {page !== undefined && (
          <div className={styles.verdicts}>
            <PopupVerdict page={page} project={project} />
            <ReturnVerdict text={typed} project={project} />
          </div>
        )}
      </div>
    </Section>
  );
}

function PopupVerdict({ page, project }: { page: URL; project: Project }) {
  const { project: texts } = useTexts().settings;
  const gateway = useQuery({ ...gatewayQuery, staleTime: 60_000, retry: false }).data;
  const ownOrigin = gateway ? new URL(gateway.publicUrl).origin : location.origin;
  const verdict = judgeOrigin(page, project.allowedOrigins, ownOrigin);
  const nearest = useNearestText(verdict.is === 'refused' ? verdict.nearest : undefined);
  if (verdict.is === 'gateway') return <Verdict about={texts.popup} isAllowed text={texts.ownOrigin} />;
  if (verdict.is === 'entry')
    return <Verdict about={texts.popup} isAllowed text={texts.allowedBy(verdict.entry)} />;
  const { origin } = verdict;
  return (
    <Verdict
      about={texts.popup}
      isAllowed={false}
      text={`${texts.noOriginFor(origin)} ${nearest}`}
      action={
        <AddThis
          projectId={project.id}
          change={({ allowedOrigins }) => ({ allowedOrigins: [...allowedOrigins, origin] })}
        />
      }
    />
  );
}

function ReturnVerdict({ text, project }: { text: string; project: Project }) {
  const { project: texts } = useTexts().settings;
  const verdict = judgeReturnUrl(text, project.returnUrls);
  const nearest = useNearestText(verdict.is === 'refused' ? verdict.nearest : undefined);
  if (verdict.is === 'entry')
    return <Verdict about={texts.redirect} isAllowed text={texts.allowedBy(verdict.entry)} />;
  if (verdict.is === 'fragment')
    return <Verdict about={texts.redirect} isAllowed={false} text={texts.fragment} />;
  return (
    <Verdict
      about={texts.redirect}
      isAllowed={false}
      text={`${texts.noReturnUrl} ${nearest}`}
      action={
        <AddThis
          projectId={project.id}
          change={({ returnUrls }) => ({ returnUrls: [...returnUrls, text.trim()] })}
        />
      }
    />
  );
}

function useNearestText(nearest: Nearest | undefined): string {
  const { project: texts } = useTexts().settings;
  return nearest === undefined
    ? ''
    : texts.nearestOrigin({ entry: nearest.entry, why: texts.differs[nearest.why] });
}

type VerdictProps = {
  readonly about: string;
  readonly isAllowed: boolean;
  readonly text: string;
  readonly action?: ReactNode;
};

function Verdict({ about, isAllowed, text, action }: VerdictProps) {
  const { project: texts } = useTexts().settings;
  return (
    <div className={styles.verdict}>
      <div className={styles.verdictHead}>
        <strong>{about}</strong>
        <StateBadge tone={isAllowed ? 'good' : 'bad'}>{isAllowed ? text : texts.notAllowed}</StateBadge>
      </div>
      {!isAllowed && <p>{text}</p>}
      {action}
    </div>
  );
}

function AddThis(props: { projectId: string; change: (project: Project) => ProjectChange }) {
  const { project: texts } = useTexts().settings;
  const canEdit = useCanEdit(props.projectId);
  const add = useChangeProject<void>({ change: (_, project) => props.change(project) });
  if (!canEdit) return null;
  return (
    <>
      <div className={styles.formFoot}>
        <Button variant="default" size="compact-sm" loading={add.isPending} onClick={() => add.mutate()}>
          {texts.addThis}
        </Button>
      </div>
      <ProblemNotice error={add.problem} />
    </>
  );
}
