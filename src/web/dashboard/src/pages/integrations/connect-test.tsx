import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, refresh } from '../../api/queries.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LinkButton, TextLink } from '../../ui/link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { newestConnectionsQuery } from './connections-section.tsx';
import type { Integration } from './form-values.ts';

const POLL_MS = 2_500;
/** As long as the link of a connect session works. */
const WAIT_MS = 10 * 60_000;

type ConnectTestProps = {
  readonly projectId: string;
  readonly integration: Integration;
  /** Of the provider. */
  readonly name: string;
};

/** The next step of an integration that nobody has connected to: the operator's own test account. */
export function ConnectTest({ projectId, integration }: ConnectTestProps) {
  const { detail: texts } = useTexts().integrations;
  const { created }: { created?: string } = useSearch({ strict: false });
  const { start, waiting, blockedUrl } = useConnect(projectId, integration.id);
  const newest = useQuery({
    ...newestConnectionsQuery(projectId, integration.id),
    refetchInterval: waiting ? POLL_MS : false,
  }).data?.connections[0];
  const isNew = created === '1';
  const isConnected = waiting !== undefined && newest !== undefined && newest.updatedAt > waiting;
  // An integration that works needs no invitation; a test is still one click away, below.
  if (!isNew && !waiting && newest !== undefined) return null;
  if (isConnected)
    return (
      <Notice
        tone="good"
        title={texts.connected(newest.accountName ?? newest.accountId ?? newest.userId)}
        isAlert
        foot={
          <>
            <LinkButton
              size="compact-md"
              to="/p/$projectId/console"
              params={{ projectId }}
              search={{ provider: integration.serviceProvider }}
            >
              {texts.tryCall}
            </LinkButton>
            <TextLink
              to="/p/$projectId/connections/$connectionId"
              params={{ projectId, connectionId: newest.id }}
            >
              {texts.connections}
            </TextLink>
          </>
        }
      />
    );
  const isCustom = integration.serviceProvider.startsWith('custom:');
  return (
    <Notice
      tone="info"
      title={isNew ? texts.created : texts.connectTest}
      foot={
        <>
          <Button
            size="compact-md"
            loading={start.isPending}
            leftSection={<Icon name="connections" size={15} />}
            onClick={() => start.mutate()}
          >
            {texts.connectTest}
          </Button>
          {waiting && <span role="status">{blockedUrl === undefined ? texts.connecting : texts.popupBlocked}</span>}
          {blockedUrl !== undefined && (
            <a href={blockedUrl} target="_blank" rel="noopener">
              {texts.openLink}
            </a>
          )}
        </>
      }
    >
      {isNew && isCustom && <>{texts.redirectNow(integration.redirectUrl)} </>}
      {texts.createdText}
      {start.isError && <ProblemNotice error={start.error} />}
    </Notice>
  );
}

/** Opens the connect page in a new tab as the operator's own test user; `waiting` is when it was opened. */
function useConnect(projectId: string, integrationId: string) {
  const client = useQueryClient();
  const { language } = useLanguage();
  const [waiting, setWaiting] = useState<string>();
  const [blockedUrl, setBlockedUrl] = useState<string>();
  const start = useMutation({
    mutationFn: async () => {
      // Opened before anything is awaited: that is when browsers let a tab through.
      const tab = window.open('', '_blank');
      const openedAt = new Date().toISOString();
      try {
        const { url } = await api.post('/connect-sessions', { body: { integrationId, locale: language } });
        if (tab === null) setBlockedUrl(url);
        else tab.location.href = url;
      } catch (error) {
        tab?.close();
        throw error;
      }
      setWaiting(openedAt);
    },
  });
  useEffect(() => {
    if (waiting === undefined) return;
    const timer = setTimeout(() => setWaiting(undefined), WAIT_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  useEffect(() => {
    if (waiting === undefined) return;
    // The diagnosis and the funnel know of the sign-in as soon as the operator is back.
    const onFocus = () => void refresh(client, '/integrations/{id}/sign-ins', '/integrations/{id}/diagnosis');
    addEventListener('focus', onFocus);
    return () => removeEventListener('focus', onFocus);
  }, [client, waiting]);
  return { start, waiting, blockedUrl, projectId };
}
