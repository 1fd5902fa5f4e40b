import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { components } from '../../../../../../clients/node/src/api.ts';
import { api, refresh } from '../../api/queries.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { fillIn } from '../../texts/fill-in.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import type { Tone } from '../../ui/state-badge.tsx';
import { formatExact, Time } from '../../ui/time.tsx';
import styles from './connections.module.css';

export type Finding = components['schemas']['Finding'];
type Health = components['schemas']['ConnectionHealth'];
type TestResult = components['schemas']['ConnectionTest'];

const TONES: Readonly<Record<Finding['severity'], Tone>> = {
  ok: 'good',
  info: 'info',
  warning: 'warning',
  error: 'bad',
};

/** Asks the provider whether it accepts the connection's credential. */
export function useConnectionTest(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post('/connections/{id}/test', { path: { id } }),
    onSettled: () => refresh(client, '/connections/{id}', '/connections/{id}/health', '/activity'),
  });
}

type Props = {
  readonly connection: Connection;
  readonly health: Health | undefined;
  readonly test: TestResult | undefined;
  readonly testError: unknown;
};

/** Why the connection does not work and what to do about it: what a test has just found, or else what is known. */
export function ConnectionFindings({ connection, health, test, testError }: Props) {
  const { connections: texts } = useTexts();
  const findings = test?.findings ?? health?.findings.filter(({ severity }) => severity !== 'ok') ?? [];
  const isUnexplained =
    findings.length === 0 && health !== undefined && connection.statusReason !== null && test === undefined;
  if (findings.length === 0 && !isUnexplained && !testError) return null;
  return (
    <div className="block" aria-live="polite">
      <ProblemNotice error={testError} />
      {isUnexplained && (
        <Notice tone="warning" title={texts.states[connection.status]}>
          {connection.statusReason}
        </Notice>
      )}
      {findings.map((finding) => (
        <FindingNotice key={finding.code} finding={finding} checkedAt={test?.checkedAt} />
      ))}
    </div>
  );
}

/** A finding with its evidence and remedy. */
function FindingNotice({ finding, checkedAt }: { finding: Finding; checkedAt?: string | undefined }) {
  const { connections: texts } = useTexts();
  const { language } = useLanguage();
  const { severity, evidence, code, parameters } = finding;
  // The API's own words speak of an integration's connections; these of this one.
  const words = texts.findings[code];
  const say = (template: string) => fillIn(template, { provider: '', scopes: '', ...parameters });
  const { title, detail, remedy } =
    words === undefined ? finding : { title: words[0], detail: say(words[1]), remedy: say(words[2]) };
  const isFine = severity === 'ok';
  return (
    <Notice
      tone={TONES[severity]}
      title={title}
      foot={
        checkedAt && (
          <span className="soft small">{texts.tested(formatExact(new Date(checkedAt), language))}</span>
        )
      }
    >
      {isFine ? detail : `${detail} ${remedy}`}
      {!isFine && evidence.length > 0 && <Evidence evidence={evidence} />}
    </Notice>
  );
}

function Evidence({ evidence }: { evidence: Finding['evidence'] }) {
  return (
    <span className={styles.evidence}>
      {evidence.map(({ label, value, at }) => (
        <span key={`${label}${value}${at}`}>
          {!label.startsWith('Connection ') && `${label}: `}
          <code>{value}</code> {at && <Time at={at} />}
        </span>
      ))}
    </span>
  );
}
