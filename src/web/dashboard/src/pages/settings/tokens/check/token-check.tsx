import { Button, Textarea } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import { useLanguage, useTexts } from '../../../../texts/texts.tsx';
import { Icon, type IconName } from '../../../../ui/icons.tsx';
import { Notice } from '../../../../ui/notice.tsx';
import { Section } from '../../../../ui/page.tsx';
import { formatDuration } from '../../../../ui/time.tsx';
import styles from '../../settings.module.css';
import type { SigningKey } from '../signing-key.ts';
import { isAccepted } from './check-token.ts';
import type { Line } from './line.ts';
import { useCheck } from './use-check.ts';

const ICONS: Readonly<Record<Line['state'], IconName>> = { good: 'ok', bad: 'error', info: 'info' };
/** A difference that people notice, and that a second's rounding does not make. */
const CLOCK_MS_MAX = 10_000;

/** A user token, taken apart and verified on this page: which check it fails, and what to do about it. */
export function TokenCheck({ keys }: { keys: readonly SigningKey[] }) {
  const { tokenCheck: texts } = useTexts().settings;
  const { language } = useLanguage();
  const [pasted, setPasted] = useState('');
  const check = useCheck(keys);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    check.mutate(pasted);
  };
  return (
    <Section title={texts.title} lead={texts.lead} id="check-a-token">
      <form className={styles.stack} onSubmit={submit}>
        <Textarea
          label={texts.field}
          placeholder="eyJ…"
          rows={4}
          value={pasted}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: styles.token ?? '' }}
          onChange={({ currentTarget }) => {
            setPasted(currentTarget.value);
            check.reset();
          }}
        />
        <div>
          <Button type="submit" disabled={pasted.trim() === ''} loading={check.isPending}>
            {texts.check}
          </Button>
        </div>
        <div aria-live="polite">
          {check.data && <Verdict lines={check.data.lines} />}
          {check.data?.missing.map((address) => (
            <p key={address} className="soft small">
              {texts.keysMissing(address)}
            </p>
          ))}
          {check.data && Math.abs(check.data.clockMs) > CLOCK_MS_MAX && (
            <p className="soft small">
              {texts.clock(formatDuration(Math.abs(check.data.clockMs), language))}
            </p>
          )}
        </div>
      </form>
    </Section>
  );
}

function Verdict({ lines }: { lines: readonly Line[] }) {
  const { tokenCheck: texts } = useTexts().settings;
  const isGood = isAccepted(lines);
  const faults = lines.filter(({ state }) => state === 'bad').length;
  const title = isGood ? texts.accepted : faults === 0 ? texts.undecided : texts.refused(faults);
  return (
    <div className={styles.stack}>
      <Notice tone={isGood ? 'good' : faults === 0 ? 'info' : 'bad'} title={title}>
        {isGood && texts.revokedNote}
      </Notice>
      <ul className={styles.checkLines} aria-label={texts.title}>
        {lines.map((line) => (
          <li key={line.name} data-state={line.state}>
            <Icon name={ICONS[line.state]} size={16} />
            <code>{texts.names[line.name]}</code>
            <CheckText line={line} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function CheckText({ line }: { line: Line }) {
  const { tokenCheck: texts } = useTexts().settings;
  const { language } = useLanguage();
  const words = texts.lines[line.code];
  const time = formatDuration((line.seconds ?? 0) * 1000, language);
  return <span>{typeof words === 'string' ? words : words({ what: line.value ?? '', time })}</span>;
}
