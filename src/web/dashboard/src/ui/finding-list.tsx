import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { components } from '../../../../../clients/node/src/api.ts';
import { useOptionalProjectId } from '../app/project.ts';
import { type FindingTexts, loadFindingTexts, wordFinding } from '../texts/finding-texts.ts';
import { useLanguage } from '../texts/texts.tsx';
import styles from './finding-list.module.css';
import { Icon, type IconName } from './icons.tsx';
import { IdChip } from './id-chip.tsx';
import type { Tone } from './state-badge.tsx';
import { Time } from './time.tsx';
import { WithCode } from './with-code.tsx';

export type Finding = components['schemas']['Finding'];

export const FINDING_TONES = {
  ok: 'good',
  info: 'info',
  warning: 'warning',
  error: 'bad',
} as const satisfies Record<Finding['severity'], Tone>;
const ICONS: Readonly<Record<Finding['severity'], IconName>> = {
  ok: 'ok',
  info: 'info',
  warning: 'warning',
  error: 'error',
};

type FindingWords = Pick<Finding, 'title' | 'detail' | 'remedy'>;

/**
 * Puts findings into the operator's language, by their code and parameters. What has no translation, such as a code of a
 * newer gateway, stays as the API worded it.
 */
export function useFindingTexts(): (
  finding: FindingWords & Pick<Finding, 'code'> & Partial<Pick<Finding, 'parameters'>>,
) => FindingWords {
  const data = useFindingLanguage();
  const { language } = useLanguage();
  return (finding) => {
    const text = data?.findings[finding.code];
    if (text === undefined) return finding;
    // Without parameters only the title says the same for sure.
    if (finding.parameters === undefined) return { ...finding, title: text[0] };
    return wordFinding(text, finding.parameters, language);
  };
}

function useFindingLanguage(): FindingTexts | undefined {
  const { language } = useLanguage();
  return useQuery({
    queryKey: ['finding-texts', language],
    queryFn: () => loadFindingTexts(language),
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** What a piece of evidence is called; a connection is named with its id, which stays. */
function useEvidenceLabel(): (label: string) => string {
  const labels = useFindingLanguage()?.evidenceLabels;
  return (label) => {
    const [first = '', ...rest] = label.split(' ');
    return labels?.[label] ?? [labels?.[first] ?? first, ...rest].join(' ');
  };
}

type FindingListProps = {
  readonly findings: readonly Finding[];
  /** The button that does what the remedy says, where the page has one. */
  readonly actionOf?: (finding: Finding) => ReactNode;
};

/** Findings with their evidence and what to do about each, the worst first as the API sorts them. */
export function FindingList({ findings, actionOf }: FindingListProps) {
  const textOf = useFindingTexts();
  return (
    <ul className={`bare-list ${styles.findings}`}>
      {findings.map((finding) => (
        <FindingItem
          key={finding.code}
          finding={finding}
          words={textOf(finding)}
          action={finding.severity !== 'ok' && actionOf?.(finding)}
        />
      ))}
    </ul>
  );
}

type FindingItemProps = {
  readonly finding: Finding;
  readonly words: FindingWords;
  readonly action: ReactNode;
};

function FindingItem({ finding, words, action }: FindingItemProps) {
  const projectId = useOptionalProjectId();
  const labelOf = useEvidenceLabel();
  const requestHref = (id: string) => projectId && `/p/${projectId}/activity?requestId=${id}`;
  const { code, severity, evidence } = finding;
  return (
    <li className={styles.finding} data-severity={severity} id={`finding-${code}`}>
      <Icon name={ICONS[severity]} size={17} />
      <div>
        <h3>
          {words.title}
          <code className={styles.findingCode}>{code}</code>
        </h3>
        <p>
          <WithCode text={words.detail} />
        </p>
        {severity !== 'ok' && (
          <p className={styles.remedy}>
            <Icon name="arrowRight" size={14} />
            <span>
              <WithCode text={words.remedy} />
            </span>
          </p>
        )}
        {action && <div className={styles.action}>{action}</div>}
        {evidence.length > 0 && severity !== 'ok' && (
          <ul className={styles.evidence}>
            {evidence.map(({ label, value, requestId, at }) => (
              <li key={`${label} ${value} ${at}`}>
                <span className="soft">{labelOf(label)}</span>
                <code>{value}</code>
                {at !== undefined && <Time at={at} />}
                {requestId !== undefined && <IdChip id={requestId} href={requestHref(requestId)} />}
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}
