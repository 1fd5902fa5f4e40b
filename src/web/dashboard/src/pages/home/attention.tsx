import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { apiQuery } from '../../api/queries.ts';
import { useProviderNames } from '../../app/providers.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useFindingTexts, WithCode } from '../../ui/finding-list.tsx';
import { Icon } from '../../ui/icons.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Bars } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { StateBadge, type Tone } from '../../ui/state-badge.tsx';
import uiStyles from '../../ui/ui.module.css';
import styles from './home.module.css';
import type { ListedIntegration } from './home-data.ts';

/** Findings are asked for so many integrations, those with the most errors first; what was found before is enough. */
const DIAGNOSED_MAX = 20;
const STALE_MS = 60_000;
const URGENT_WARNINGS: ReadonlySet<string> = new Set(['client_secret_expires_soon']);

type Matter = {
  readonly key: string;
  /** Null: of a destination of events. */
  readonly provider: string | null;
  readonly tone: Tone;
  readonly state: string;
  readonly link: (name: string) => ReactNode;
  readonly detail: string;
};

/** What a person must do something about: findings of severity error, secrets that expire, connections that need their users. */
export function Attention(props: { projectId: string; integrations: readonly ListedIntegration[] }) {
  const { projectId, integrations } = props;
  const { home } = useTexts();
  const nameOf = useProviderNames(integrations.map(({ serviceProvider }) => serviceProvider));
  const findings = useFindings(projectId, integrations);
  const lost = useLostConnections(projectId, integrations);
  const destinations = useTroubledDestinations(projectId);
  const matters = [...findings.matters, ...lost, ...destinations.matters];
  const queries = [...findings.queries, ...destinations.queries];
  // What could not be read may hold something that needs a person.
  const isFailed = queries.some(({ isError }) => isError);
  const isPending = queries.some((query) => query.isPending);
  return (
    <Section title={home.attentionTitle} flush>
      {(isFailed || matters.length === 0) && (
        <div className={uiStyles.sectionBody}>
          {isFailed ? <QueryProblem queries={queries} /> : <Calm isPending={isPending} />}
        </div>
      )}
      {matters.length > 0 && (
        <ul className={`bare-list ${styles.attention}`}>
          {matters.map(({ key, provider, tone, state, link, detail }) => (
            <li key={key}>
              <span className={uiStyles.withLogo}>
                {provider === null ? (
                  <Icon name="send" size={18} />
                ) : (
                  <ProviderLogo id={provider} size={20} />
                )}
                {link(provider === null ? '' : nameOf(provider))}
              </span>
              <StateBadge tone={tone}>{state}</StateBadge>
              <span className={styles.detail}>
                <WithCode text={detail} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Says that nothing is to do once everything has been read. */
function Calm({ isPending }: { isPending: boolean }) {
  const { home } = useTexts();
  if (isPending) return <Bars rows={1} />;
  return (
    <p className={styles.calm}>
      <Icon name="ok" size={17} />
      {home.nothingToDo}
    </p>
  );
}

type Found = { readonly matters: readonly Matter[]; readonly queries: readonly UseQueryResult[] };

function useFindings(projectId: string, integrations: readonly ListedIntegration[]): Found {
  const wordsOf = useFindingTexts();
  const errorsOf = ({ numbers }: ListedIntegration) => numbers?.errorsDay ?? 0;
  const looked = [...integrations].sort((a, b) => errorsOf(b) - errorsOf(a)).slice(0, DIAGNOSED_MAX);
  return useQueries({
    queries: looked.map(({ id }) => ({
      ...apiQuery('/integrations/{id}/diagnosis', { path: { id }, query: { refresh: 'false' } }),
      staleTime: STALE_MS,
    })),
    combine: (queries) => ({
      queries,
      matters: queries.flatMap(({ data }, index) => {
        const integration = looked[index];
        if (integration === undefined) return [];
        return (data?.findings ?? [])
          .filter(({ severity, code }) => severity === 'error' || URGENT_WARNINGS.has(code))
          .map((finding): Matter => {
            const { code, severity } = finding;
            const { title, remedy } = wordsOf(finding);
            const params = { projectId, integrationId: integration.id };
            return {
              key: `${integration.id} ${code}`,
              provider: integration.serviceProvider,
              tone: severity === 'error' ? 'bad' : 'warning',
              state: title,
              link: (name) => (
                <TextLink to="/p/$projectId/integrations/$integrationId" params={params}>
                  {name}
                </TextLink>
              ),
              detail: remedy,
            };
          });
      }),
    }),
  });
}

function useLostConnections(
  projectId: string,
  integrations: readonly ListedIntegration[],
): readonly Matter[] {
  const { home } = useTexts();
  return integrations.flatMap(({ id, serviceProvider, numbers }) => {
    const count = numbers?.reauthorizationRequired ?? 0;
    if (count === 0) return [];
    const search = { integrationId: id, status: 'reauthorization_required' };
    const link = (name: string) => (
      <TextLink to="/p/$projectId/connections" params={{ projectId }} search={search}>
        {name}
      </TextLink>
    );
    const state = home.lostConnections(count);
    return [
      { key: `${id} lost`, provider: serviceProvider, tone: 'warning', state, link, detail: home.lostRemedy },
    ];
  });
}

/** Destinations of events that take nothing, unless an operator switched them off. */
function useTroubledDestinations(projectId: string): Found {
  const { home } = useTexts();
  const query = useQuery({
    ...apiQuery('/event-destinations', { query: { projectId } }),
    staleTime: STALE_MS,
  });
  const troubled = (query.data?.eventDestinations ?? []).filter(
    ({ state, disabledReason }) => state !== 'healthy' && disabledReason !== 'operator',
  );
  const matters = troubled.map(({ id, url, state }): Matter => {
    const isDisabled = state === 'disabled';
    return {
      key: id,
      provider: null,
      tone: isDisabled ? 'bad' : 'warning',
      state: isDisabled ? home.destinationDisabled : home.destinationFailing,
      link: () => (
        <TextLink
          to="/p/$projectId/events/destinations/$destinationId"
          params={{ projectId, destinationId: id }}
        >
          {URL.parse(url)?.host ?? url}
        </TextLink>
      ),
      detail: isDisabled ? home.destinationDisabledRemedy : home.destinationFailingRemedy,
    };
  });
  return { matters, queries: [query] };
}
