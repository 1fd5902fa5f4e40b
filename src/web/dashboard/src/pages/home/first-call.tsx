import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refresh } from '../../api/queries.ts';
import { type TriedCall, tryCall } from '../../app/try-call.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useExamplePath } from '../../ui/example-call.ts';
import { LinkButton } from '../../ui/link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { formatDuration } from '../../ui/time.tsx';
import styles from './home.module.css';

/** A call of the provider through the proxy, as the operator's own test user. */
export function FirstCall(props: {
  projectId: string;
  /** Of the operator's test account. */
  provider: string;
  /** `isAnswered`: the provider answered, not the gateway. */
  onCalled: (isAnswered: boolean) => void;
}) {
  const { projectId, provider, onCalled } = props;
  const { home } = useTexts();
  const [typed, setTyped] = useState<string>();
  const example = useExamplePath(provider);
  const path = typed ?? example;
  const client = useQueryClient();
  const call = useMutation({
    mutationFn: () => tryCall(client, { projectId, provider, path }),
    onSuccess: ({ gatewayError }) => {
      onCalled(gatewayError === null);
      return refresh(
        client,
        '/projects/{projectId}/overview',
        '/projects/{projectId}/calls',
        '/integrations',
      );
    },
  });
  return (
    <>
      <form
        className={styles.stepActions}
        onSubmit={(event) => {
          event.preventDefault();
          call.mutate();
        }}
      >
        <TextInput
          className={styles.path}
          aria-label={home.path(provider)}
          leftSectionWidth={52}
          leftSection={<span className="mono">GET</span>}
          value={path}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" loading={call.isPending}>
          {home.sendCall}
        </Button>
        <LinkButton variant="default" to="/p/$projectId/console" params={{ projectId }}>
          {home.openConsole}
        </LinkButton>
      </form>
      <ProblemNotice error={call.error} />
      {call.data && <Answer call={call.data} />}
    </>
  );
}

/** More would push the next step off the screen; the console shows the rest. */
const LINES_MAX = 12;

function cutLines(text: string): string {
  const lines = text.split('\n');
  return lines.length > LINES_MAX ? [...lines.slice(0, LINES_MAX - 1), '…'].join('\n') : text;
}

function Answer({ call }: { call: TriedCall }) {
  const { home } = useTexts();
  const { language } = useLanguage();
  const { status, durationMs, gatewayError, text } = call;
  const isGood = status < 400;
  const origin = gatewayError === null ? home.byProvider : home.byGateway(gatewayError);
  return (
    <>
      <Notice
        tone={isGood ? 'good' : 'bad'}
        title={home.answered({ status, time: formatDuration(durationMs, language) })}
        isAlert
      >
        {isGood ? undefined : origin}
      </Notice>
      <CodeBlock code={cutLines(text)} label={home.answer} />
      {text.split('\n').length > LINES_MAX && <p className="soft small">{home.answerCut(LINES_MAX)}</p>}
    </>
  );
}
