import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiQuery, refresh } from '../../api/queries.ts';
import { type TriedCall, tryCall } from '../../app/try-call.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { formatDuration } from '../../ui/time.tsx';
import { ConnectStep } from './connect-step.tsx';
import { examplePath } from './example-path.ts';
import styles from './home.module.css';
import type { ListedIntegration } from './home-data.ts';

/** A call of the provider through the proxy, as the operator's own test user. */
export function FirstCall(props: {
  projectId: string;
  integrations: readonly ListedIntegration[];
  onCalled: () => void;
}) {
  const { projectId, integrations, onCalled } = props;
  const { home } = useTexts();
  const own = useQuery(apiQuery('/connections', { query: { limit: 50 } })).data?.connections;
  const connection = own?.find((each) => each.projectId === projectId);
  const provider = connection?.serviceProvider ?? integrations[0]?.serviceProvider ?? '';
  const [typed, setTyped] = useState<string>();
  const path = typed ?? examplePath(provider);
  const client = useQueryClient();
  const call = useMutation({
    mutationFn: () => tryCall(client, { projectId, provider, path }),
    onSuccess: () => {
      onCalled();
      return refresh(client, '/projects/{projectId}/calls', '/integrations');
    },
  });
  if (own !== undefined && connection === undefined) return <ConnectStep integrations={integrations} />;
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
      <CodeBlock code={text} label={home.answer} />
    </>
  );
}
