import type { ReactNode } from 'react';
import { useProviderNames } from '../../app/providers.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useFindingTexts } from '../../ui/finding-list.tsx';
import { Icon } from '../../ui/icons.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import { shortUrl } from '../../ui/short-url.ts';
import { StateBadge, type Tone } from '../../ui/state-badge.tsx';
import uiStyles from '../../ui/ui.module.css';
import { WithCode } from '../../ui/with-code.tsx';
import styles from './home.module.css';
import type { ListedIntegration, Overview } from './home-data.ts';

type Matter = {
  readonly key: string;
  /** Null: of a destination of events. */
  readonly provider: string | null;
  readonly tone: Tone;
  readonly state: string;
  readonly link: (name: string) => ReactNode;
  readonly detail: string;
};

type AttentionProps = {
  readonly projectId: string;
  readonly integrations: readonly ListedIntegration[];
  readonly overview: Overview;
  /** Nothing is shown where nothing is to do. */
  readonly isSilent: boolean;
};

/** What a person must do something about: findings of severity error, secrets that expire, connections that need their users. */
export function Attention({ projectId, integrations, overview, isSilent }: AttentionProps) {
  const { home } = useTexts();
  const nameOf = useProviderNames(integrations.map(({ serviceProvider }) => serviceProvider));
  const matters = [
    ...useFindings(projectId, integrations, overview),
    ...useLostConnections(projectId, integrations),
    ...useTroubledDestinations(projectId, overview),
  ];
  if (isSilent && matters.length === 0) return null;
  return (
    <Section title={home.attentionTitle} flush>
      {matters.length === 0 && (
        <div className={uiStyles.sectionBody}>
          <p className={styles.calm}>
            <Icon name="ok" size={17} />
            {home.nothingToDo}
          </p>
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

function useFindings(
  projectId: string,
  integrations: readonly ListedIntegration[],
  { states, endingSecrets }: Overview,
): readonly Matter[] {
  const { home } = useTexts();
  const wordsOf = useFindingTexts();
  const byId = new Map(integrations.map((integration) => [integration.id, integration]));
  const linkTo = (integrationId: string) => (name: string) => (
    <TextLink to="/p/$projectId/integrations/$integrationId" params={{ projectId, integrationId }}>
      {name}
    </TextLink>
  );
  const found = [...states.filter(({ finding }) => finding?.severity === 'error'), ...endingSecrets].flatMap(
    ({ integrationId, finding }): Matter[] => {
      const provider = byId.get(integrationId)?.serviceProvider;
      if (provider === undefined || finding === null) return [];
      const { title, remedy } = wordsOf(finding);
      const tone = finding.severity === 'error' ? 'bad' : 'warning';
      const key = `${integrationId} ${finding.code}`;
      return [{ key, provider, tone, state: title, link: linkTo(integrationId), detail: remedy }];
    },
  );
  const failed = states.flatMap(({ integrationId, failedUsers, finding }): Matter[] => {
    const provider = byId.get(integrationId)?.serviceProvider;
    // A finding of the integration is why they failed.
    if (provider === undefined || failedUsers === 0 || finding?.severity === 'error') return [];
    const state = home.failedUsers(failedUsers);
    const key = `${integrationId} failed`;
    const detail = home.failedUsersRemedy;
    return [{ key, provider, tone: 'warning', state, link: linkTo(integrationId), detail }];
  });
  const matters = [...found, ...failed];
  // The diagnosis may find a secret's end by itself.
  return matters.filter(({ key }, index) => matters.findIndex((other) => other.key === key) === index);
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
function useTroubledDestinations(projectId: string, { destinations }: Overview): readonly Matter[] {
  const { home } = useTexts();
  return destinations.map(({ id, url, state }): Matter => {
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
          {shortUrl(url)}
        </TextLink>
      ),
      detail: isDisabled ? home.destinationDisabledRemedy : home.destinationFailingRemedy,
    };
  });
}
