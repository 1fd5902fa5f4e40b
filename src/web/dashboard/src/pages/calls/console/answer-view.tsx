import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { useProjectId } from '../../../app/project.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { TextLink } from '../../../ui/link.tsx';
import { Section } from '../../../ui/page.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { formatDuration } from '../../../ui/time.tsx';
import { chooseTone, formatBytes } from '../call-parts.tsx';
import callStyles from '../calls.module.css';
import styles from './console.module.css';
import { type ConsoleResponse, SHOWN_BYTES_MAX } from './console-call.ts';
import { JsonView } from './json-view.tsx';

type View = 'pretty' | 'raw' | 'headers';

/** What came back: status, whose answer it is, where the time went, body and headers. */
export function AnswerView({ answer }: { answer: ConsoleResponse }) {
  const { console: texts } = useTexts().calls;
  const [view, setView] = useState<View>('pretty');
  const views: View[] = ['pretty', 'raw', 'headers'];
  const names = {
    pretty: texts.pretty,
    raw: texts.raw,
    headers: `${texts.headersTab} ${answer.headers.length}`,
  };
  return (
    <Section
      title={texts.answer}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={texts.answer}
          value={view}
          onChange={(value) => setView(views.find((each) => each === value) ?? 'pretty')}
          data={views.map((value) => ({ value, label: names[value] }))}
        />
      }
    >
      <AnswerHead answer={answer} />
      {view === 'headers' ? (
        <HeaderTable headers={answer.headers} />
      ) : (
        <Body answer={answer} isRaw={view === 'raw'} />
      )}
    </Section>
  );
}

function AnswerHead({ answer }: { answer: ConsoleResponse }) {
  const { calls } = useTexts();
  const { language } = useLanguage();
  const projectId = useProjectId();
  const texts = calls.console;
  const isError = answer.status >= 400;
  const origin = answer.gatewayError !== null ? 'gateway' : isError ? 'provider' : 'none';
  return (
    <div className={styles.answerHead} role="status">
      <StateBadge tone={chooseTone({ status: answer.status, origin })}>
        {answer.status} {answer.statusText}
      </StateBadge>
      <span>
        {answer.gatewayError === null ? texts.fromProvider : `${texts.fromGateway}: ${answer.gatewayError}`}
      </span>
      <Timing answer={answer} />
      <span className="soft">{formatBytes(answer.bytes, language)}</span>
      {answer.requestId && (
        <TextLink to="/p/$projectId/calls/$requestId" params={{ projectId, requestId: answer.requestId }}>
          {texts.openCall}
        </TextLink>
      )}
    </div>
  );
}

/** The whole as the browser saw it, split by what the gateway measured. */
function Timing({ answer: { timing, totalMs } }: { answer: ConsoleResponse }) {
  const { console: texts } = useTexts().calls;
  const { language } = useLanguage();
  const format = (ms: number) => formatDuration(ms, language);
  if (timing === null) return <span>{format(totalMs)}</span>;
  const network = Math.max(0, totalMs - timing.gatewayMs - timing.providerMs);
  return (
    <span className={styles.timing}>
      <b>{format(totalMs)}</b>
      <Part tone="keyProvider">
        {texts.providerTime} {format(timing.providerMs)}
      </Part>
      <Part tone="keyGateway">
        {texts.gatewayTime} {format(timing.gatewayMs)}
      </Part>
      <span className="soft">
        {texts.networkTime} {format(network)}
      </span>
    </span>
  );
}

function Part({ tone, children }: { tone: 'keyGateway' | 'keyProvider'; children: ReactNode }) {
  return (
    <span>
      <i className={`${callStyles.key} ${callStyles[tone]}`} />
      {children}
    </span>
  );
}

function Body({ answer, isRaw }: { answer: ConsoleResponse; isRaw: boolean }) {
  const { console: texts } = useTexts().calls;
  const { language } = useLanguage();
  const { text, contentType, bytes, isCut } = answer;
  const parsed = useMemo(() => parseJson(text), [text]);
  if (bytes === 0) return <p className="soft">{texts.emptyBody}</p>;
  if (text === undefined) return <p className="soft">{texts.binaryBody(contentType)}</p>;
  return (
    <>
      {isCut && <p className="soft small">{texts.cutBody(formatBytes(SHOWN_BYTES_MAX, language))}</p>}
      <div className={styles.body}>
        {!isRaw && parsed !== undefined ? (
          <JsonView value={parsed.value} />
        ) : (
          <CodeBlock code={text} label={texts.answer} />
        )}
      </div>
    </>
  );
}

function parseJson(text: string | undefined): { readonly value: unknown } | undefined {
  try {
    return text === undefined ? undefined : { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function HeaderTable({ headers }: { headers: ConsoleResponse['headers'] }) {
  return (
    <dl className={styles.headers}>
      {headers.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
