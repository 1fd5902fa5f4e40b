import type { ProviderSummary } from '../../api/catalog.ts';
import type { Texts } from '../../texts/area-texts.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import styles from './integrations.module.css';
import { ProviderStanding } from './provider-standing.tsx';

type CatalogPreviewProps = { readonly projectId: string; readonly provider: ProviderSummary | undefined };

/** What the provider that is pointed at needs. Not at phone width, where its page says the same. */
export function CatalogPreview({ projectId, provider }: CatalogPreviewProps) {
  const { integrations: texts } = useTexts();
  if (provider === undefined) return null;
  return (
    <aside className={styles.preview} aria-label={texts.catalog.needs}>
      <div className="line">
        <ProviderLogo key={provider.id} id={provider.id} logoUrl={provider.logoUrl} size={44} />
        <div>
          <h2>{provider.name}</h2>
          <p className="soft small">
            {texts.categories[provider.category]} · {texts.auth[provider.auth]}
          </p>
        </div>
      </div>
      <ProviderStanding provider={provider} />
      <h3>{texts.catalog.needs}</h3>
      <ul className={styles.needs}>
        {listNeeds(provider, texts.catalog).map((need) => (
          <li key={need}>
            <Icon name="check" size={14} />
            {need}
          </li>
        ))}
      </ul>
      <LinkButton
        to="/p/$projectId/integrations/new"
        params={{ projectId }}
        search={{ provider: provider.id }}
        fullWidth
      >
        {texts.catalog.choose(provider.name)}
      </LinkButton>
    </aside>
  );
}

/** Sentences on what the operator and what each user has to bring. */
function listNeeds(
  { name, auth, integrationVariables, userVariables, webhooks }: ProviderSummary,
  texts: Texts['integrations']['catalog'],
): string[] {
  const byAuth = {
    oauth2: [texts.needsClient(name), texts.usersSignIn(name)],
    'oauth2-client-credentials': [texts.needsApiClient(name), texts.nobodySignsIn],
    'api-key': [texts.usersKey],
    basic: [texts.usersPassword],
    // The variables below say it.
    'aws-sigv4': [],
    oauth1: [texts.needsClient(name)],
    'jwt-per-call': [texts.gatewaySigns],
    wsse: [],
    'jwt-bearer': [texts.gatewaySigns],
    'token-login': [texts.gatewayLogsIn],
    'github-app': [texts.needsClient(name), texts.usersInstall(name)],
  }[auth];
  return [
    ...byAuth,
    ...(integrationVariables.length > 0 ? [texts.youEnter(integrationVariables.join(', '))] : []),
    ...(userVariables.length > 0 ? [texts.usersEnter(userVariables.join(', '))] : []),
    ...(webhooks ? [texts.hasWebhooks] : []),
  ];
}
