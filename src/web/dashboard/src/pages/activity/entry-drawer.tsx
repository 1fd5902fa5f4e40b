import type { ReactNode } from 'react';
import type { Texts } from '../../texts/area-texts.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useFindingTexts } from '../../ui/finding-list.tsx';
import { useFindingParameters } from '../../ui/finding-parameters.ts';
import { IdChip } from '../../ui/id-chip.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Facts } from '../../ui/page.tsx';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import { formatExact } from '../../ui/time.tsx';
import { WithCode } from '../../ui/with-code.tsx';
import styles from './activity.module.css';
import { ActorName } from './actor.tsx';
import { isKey, isRecordedFinding, listFields, nameOfAction, nameRole, toText } from './describe-entry.ts';
import type { Entry } from './entry.ts';
import { formatSpan } from './format-span.ts';
import { SubjectLink } from './subject.tsx';

/** All that an entry tells, in words, with links to what belongs to it, and the record itself at the end. */
export function EntryDrawer({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const texts = useTexts();
  return (
    <SideDrawer title={nameOfAction(texts, entry.action)} size="md" onClose={onClose}>
      <EntryFacts entry={entry} onNavigate={onClose} />
    </SideDrawer>
  );
}

function EntryFacts({ entry, onNavigate }: { entry: Entry; onNavigate: () => void }) {
  const texts = useTexts();
  const { activity } = texts;
  const { language } = useLanguage();
  const details = Object.entries(entry.details).filter(([, value]) => value !== null && value !== undefined);
  return (
    <div className={styles.drawer}>
      <Facts
        facts={[
          [activity.when, formatExact(new Date(entry.createdAt), language)],
          [activity.who, <ActorName key="who" entry={entry} />],
          [activity.from, entry.sourceAddress ?? '–'],
          [activity.subject, <SubjectLink key="subject" entry={entry} />],
          ...details.map(
            ([name, value]) =>
              [
                labelOf(texts, name),
                name === 'findings' ? <Findings key={name} entry={entry} /> : showValue(texts, name, value),
              ] as const,
          ),
        ]}
      />
      <Related entry={entry} onNavigate={onNavigate} />
      <details>
        <summary className="soft small">{activity.rawRecord}</summary>
        <CodeBlock code={JSON.stringify(entry, null, 2)} label={activity.rawRecord} />
      </details>
    </div>
  );
}

/** Links to the same list, narrowed. */
function Related({ entry, onNavigate }: { entry: Entry; onNavigate: () => void }) {
  const { activity } = useTexts();
  const { projectId, requestId, subjectId, actorId } = entry;
  if (projectId === null) return null;
  const links = [
    [activity.sameRequest, requestId && { requestId }],
    [activity.sameSubject, subjectId && { subjectId }],
    [activity.sameActor, actorId && { actorId }],
  ] as const;
  return (
    <ul className={`bare-list ${styles.related}`}>
      {links.map(([label, search]) =>
        search ? (
          <li key={label}>
            <TextLink to="/p/$projectId/activity" params={{ projectId }} search={search} onClick={onNavigate}>
              {label}
            </TextLink>
          </li>
        ) : null,
      )}
    </ul>
  );
}

function labelOf({ activity }: Texts, name: string): string {
  return isKey(activity.details, name) ? activity.details[name] : name;
}

function showValue(texts: Texts, name: string, value: unknown): ReactNode {
  const { activity } = texts;
  if (name === 'role') return nameRole(texts, toText(value));
  if (name.endsWith('Seconds')) return formatSpan(Number(value), texts);
  if (name === 'fields' && Array.isArray(value)) return listFields(texts, value);
  if (name === 'previous' && isRecord(value)) return showBefore(texts, value);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
  const text = toText(value);
  if (isKey(activity.values, text)) return activity.values[text];
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text)) return <IdChip id={text} />;
  return text === '' ? <code>{JSON.stringify(value)}</code> : text;
}

/** What stood there before a change. */
function showBefore(texts: Texts, before: Readonly<Record<string, unknown>>): string {
  return Object.entries(before)
    .map(([name, value]) => {
      const shown = Array.isArray(value) ? value.map(toText).join(', ') : toText(value);
      return `${labelOf(texts, name)}: ${value === null ? texts.activity.values.anywhere : shown}`;
    })
    .join('; ');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Findings of the log in the operator's language, as far as what their texts name is still there. */
function Findings({ entry: { details } }: { entry: Entry }) {
  const { findings, integrationId } = details;
  const parameters = useFindingParameters(typeof integrationId === 'string' ? integrationId : undefined);
  const textOf = useFindingTexts();
  const recorded = Array.isArray(findings) ? findings.filter(isRecordedFinding) : [];
  return recorded.map((finding) => {
    const { title, remedy } = textOf({ ...finding, detail: '', ...(parameters && { parameters }) });
    return (
      <p key={finding.code}>
        <strong>{title}</strong> <WithCode text={remedy} />
      </p>
    );
  });
}
