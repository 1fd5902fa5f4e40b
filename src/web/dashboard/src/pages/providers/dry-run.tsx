import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import type { components } from '../../../../../../clients/node/src/api.ts';
import { request } from '../../api/client.ts';
import { ApiError, memberPath } from '../../api/problem.ts';
import { useTexts } from '../../texts/texts.tsx';
import { FaultText } from '../../ui/fault-text.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { DiscoveryView } from './discovery-view.tsx';
import styles from './providers.module.css';

type DryRun = components['schemas']['ProviderDryRun'];
type ProviderRequest = components['schemas']['ProviderRequest'];

/** What the gateway would send for this description; asked again whenever it changes. Nothing is stored or sent. */
export function useDryRun(projectId: string, description: Record<string, unknown> | undefined) {
  const isBegun = Boolean(description?.id && description.name && (description.apiBaseUrl || description.mcp));
  return useQuery({
    queryKey: ['dry-run', projectId, description],
    queryFn: ({ signal }) =>
      request<DryRun>('POST', '/providers', {
        query: { dryRun: 'true' },
        body: { ...description, projectId },
        signal,
      }),
    enabled: isBegun,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 60_000,
    gcTime: 60_000,
  });
}

const ORDER = [
  'registration',
  'temporaryToken',
  'authorization',
  'logIn',
  'token',
  'tokenExchange',
  'refresh',
  'probe',
  'account',
  'call',
  'revocation',
] as const;

type DryRunSectionProps = {
  readonly query: ReturnType<typeof useDryRun>;
  /** False while the JSON of the form is none, so that there is no description. */
  readonly isReadable: boolean;
  /** What can be done with a description that has no faults. */
  readonly children: ReactNode;
};

/** Every request that would be made, beside the form. */
export function DryRunSection({ query, isReadable, children }: DryRunSectionProps) {
  const { customProviders: texts } = useTexts().integrations;
  const faults = query.error instanceof ApiError ? (query.error.problem.errors ?? []) : [];
  return (
    <Section title={texts.dryRun} lead={texts.dryRunLead}>
      <div aria-live="polite">
        {faults.length > 0 && (
          <Notice tone="warning" title={texts.dryRunFaults(faults.length)}>
            {faults.map(({ path, message }, index) => (
              <Fragment key={`${path} ${message}`}>
                {index > 0 && ' · '}
                {memberPath(path) || texts.basics}: <FaultText text={message} />
              </Fragment>
            ))}
          </Notice>
        )}
        {query.isError && faults.length === 0 && <ProblemNotice error={query.error} />}
      </div>
      {query.data ? (
        <div className={styles.requests} data-stale={query.isError || query.isPlaceholderData}>
          {ORDER.flatMap((name) =>
            [query.data.requests[name] ?? []].flat().map((made, index, all) => (
              <RequestView
                // biome-ignore lint/suspicious/noArrayIndexKey: steps have no name but their place
                key={`${name} ${index}`}
                title={all.length > 1 ? `${texts.requests[name]} ${index + 1}` : texts.requests[name]}
                request={made}
              />
            )),
          )}
          {query.data.discovery && <DiscoveryView discovery={query.data.discovery} />}
          {query.data.notes.map((note) => (
            <p key={note} className="soft small">
              {note}
            </p>
          ))}
          {!query.isError && !query.isPlaceholderData && children}
        </div>
      ) : (
        !query.isError && (
          <p className="soft">{isReadable ? texts.dryRunEmpty : `${texts.more}: ${texts.moreFault}`}</p>
        )
      )}
    </Section>
  );
}

function RequestView({
  title,
  request: { method, url, headers, body },
}: {
  title: string;
  request: ProviderRequest;
}) {
  return (
    <div>
      <h3>{title}</h3>
      <section className={styles.request} tabIndex={0} aria-label={title}>
        <code className={styles.line}>
          <strong>{method}</strong> <Address url={url} />
        </code>
        {Object.entries(headers).map(([name, value]) => (
          <code key={name} className={styles.line}>
            <span className="soft">{name}:</span> {value}
          </code>
        ))}
        {body !== null && body !== '' && (
          <code className={`${styles.line} ${styles.body}`}>
            <Parameters text={body} />
          </code>
        )}
      </section>
    </div>
  );
}

/** Each parameter on a line of its own: that is what is compared with the provider's documentation. */
function Address({ url }: { url: string }) {
  const at = url.indexOf('?');
  if (at === -1) return url;
  return (
    <>
      {url.slice(0, at)}
      <span className={styles.parameters}>
        <Parameters text={url.slice(at + 1)} first="?" />
      </span>
    </>
  );
}

function Parameters({ text, first = '' }: { text: string; first?: string }) {
  if (text.startsWith('{')) return text;
  return text.split('&').map((pair, index) => (
    <span key={pair} className={styles.pair}>
      {index === 0 ? first : '&'}
      {pair}
    </span>
  ));
}
