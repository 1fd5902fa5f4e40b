import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Schema } from '../../api/schemas.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { nameReason } from './describe-entry.ts';
import { type Entry, METHODS } from './mandate.ts';
import styles from './mandates.module.css';
import type { TriedCall } from './use-explain.ts';

type Explanation = Schema<'MandateExplanation'>;

type TryCallProps = {
  readonly call: TriedCall;
  readonly onChange: (part: Partial<TriedCall>) => void;
  readonly providers: readonly { readonly value: string; readonly label: string }[];
  readonly entries: readonly Entry[];
  readonly explained: UseQueryResult<Explanation>;
};

/** A call that is typed and not sent, and what the mandate makes of it. */
export function TryCall({ call, onChange, providers, entries, explained }: TryCallProps) {
  const { mandates: texts } = useTexts();
  const takesBody = call.method !== 'GET' && call.method !== 'HEAD';
  return (
    <Section title={texts.tryTitle} lead={texts.tryLead}>
      <div className={styles.try}>
        <div className={styles.target}>
          <NativeSelect
            label={texts.provider}
            data={[...providers]}
            value={call.provider}
            onChange={({ currentTarget }) => onChange({ provider: currentTarget.value })}
          />
          <NativeSelect
            label={texts.tryMethod}
            data={[...METHODS]}
            value={call.method}
            onChange={({ currentTarget }) => onChange({ method: currentTarget.value })}
          />
          <TextInput
            label={texts.tryPath}
            placeholder="/crm/v3/objects/contacts/17"
            spellCheck={false}
            classNames={{ input: 'mono' }}
            value={call.path}
            onChange={({ currentTarget }) => onChange({ path: currentTarget.value.trim() })}
          />
        </div>
        {takesBody && (
          <Textarea
            label={texts.tryBody}
            description={texts.tryBodyHint}
            autosize
            minRows={1}
            maxRows={8}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            value={call.body}
            onChange={({ currentTarget }) => onChange({ body: currentTarget.value })}
          />
        )}
        <div className={styles.verdict} aria-live="polite" data-stale={explained.isFetching || undefined}>
          {call.path === '' ? (
            <p className="soft">{texts.tryFirst}</p>
          ) : explained.isError ? (
            <ProblemNotice error={explained.error} />
          ) : (
            explained.data && <Verdict explanation={explained.data} entries={entries} />
          )}
        </div>
      </div>
    </Section>
  );
}

/** The entry that decides; where none allows the call, why each does not. */
function Verdict({ explanation, entries }: { explanation: Explanation; entries: readonly Entry[] }) {
  const { mandates: texts } = useTexts();
  const { entry } = explanation;
  if (entry !== null) {
    const approval = entries[entry]?.approval ?? 'none';
    return approval === 'none' ? (
      <Notice tone="good" title={texts.allowedBy(entry + 1)} />
    ) : (
      <Notice tone="warning" title={texts.allowedAsking[approval](entry + 1)} />
    );
  }
  return (
    <div className={styles.refused}>
      <Notice tone="bad" title={texts.refused} />
      <ul className={styles.reasons}>
        {explanation.entries.map(({ index, reason }) => (
          <li key={index}>
            {texts.refusedLine({ index: String(index + 1), reason: nameReason(reason, texts) })}
          </li>
        ))}
      </ul>
    </div>
  );
}
