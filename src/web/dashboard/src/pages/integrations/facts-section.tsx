import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import type { Provider } from '../../api/catalog.ts';
import { gatewayQuery } from '../../api/operators.ts';
import type { Texts } from '../../texts/area-texts.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Facts, Section } from '../../ui/page.tsx';
import { buildProxyBase } from './code-samples.ts';
import { bringsClient, type Integration } from './form-values.ts';
import { nameAuthMethod } from './grant-choice.tsx';
import styles from './integrations.module.css';
import { CopyField, ProviderNotes, SetUpSteps, WebhookSteps } from './set-up-steps.tsx';

type FactsSectionProps = {
  readonly projectId: string;
  readonly integration: Integration;
  readonly provider: Provider | undefined;
};

type Fact = [name: string, value: ReactNode];

function copyFact(label: string, value: string): Fact {
  return [label, <CopyField key={label} label={label} value={value} />];
}

function codeFact(label: string, value: string): Fact {
  return [label, <code key={label}>{value}</code>];
}

/** Which authorization server an MCP server named, and where the client there comes from. */
function serverFacts({ authorizationServer }: Integration, texts: Texts['integrations']['detail']): Fact[] {
  if (authorizationServer === null) return [];
  const { issuer, clientBy } = authorizationServer;
  return [
    ...(clientBy === null ? [] : [[texts.clientFrom, texts.clientBy[clientBy]] satisfies Fact]),
    codeFact(texts.authorizationServer, issuer),
  ];
}

/** How the calls of tokens are judged that may only read. */
function accessFacts(access: Provider['access'] | undefined, texts: Texts['integrations']['detail']): Fact[] {
  if (access === undefined) return [];
  const { name, hint } = texts.access[access];
  return [
    [
      texts.readingJudged,
      <Fragment key="access">
        {name} <span className="soft">{hint}</span>
      </Fragment>,
    ],
  ];
}

function documentFacts({ settings: { openapi = [] } }: Integration, label: string): Fact[] {
  if (openapi.length === 0) return [];
  const lines = openapi.map((address) => (
    <li key={address}>
      <code>{address}</code>
    </li>
  ));
  return [
    [
      label,
      <ul key="documents" className="bare-list">
        {lines}
      </ul>,
    ],
  ];
}

/** What has to stand at the provider, and the addresses of this integration, to copy. */
export function FactsSection({ projectId, integration, provider }: FactsSectionProps) {
  const { integrations } = useTexts();
  const { detail: texts, setUp } = integrations;
  const gateway = useQuery({ ...gatewayQuery, staleTime: Number.POSITIVE_INFINITY });
  const titles = new Map(provider?.variables.map(({ name, title }) => [name, title ?? name]));
  const variables = Object.entries(integration.variables).map(([name, value]) =>
    codeFact(titles.get(name) ?? name, value),
  );
  const proxy = buildProxyBase(
    gateway.data?.proxyUrl ?? location.origin,
    projectId,
    integration.serviceProvider,
  );
  const grant = provider?.grants.find(({ id }) => id === integration.grant);
  const facts: Fact[] = [
    ...(grant ? [[texts.grant, nameAuthMethod(grant, integrations)] satisfies Fact] : []),
    integration.clientId === null
      ? [texts.clientId, provider && bringsClient(provider) ? texts.clientToCome : texts.noClient]
      : copyFact(texts.clientId, integration.clientId),
    ...serverFacts(integration, texts),
    ...(integration.redirectUrl === null ? [] : [copyFact(setUp.redirectUrl, integration.redirectUrl)]),
    ...(provider?.webhooks.supported ? [copyFact(setUp.webhookUrl, integration.webhookUrl)] : []),
    copyFact(texts.proxyUrl, proxy),
    ...variables,
    ...(provider ? [codeFact(texts.apiBase, provider.apiBaseUrl)] : []),
    ...accessFacts((grant ?? provider)?.access, texts),
    ...documentFacts(integration, setUp.documents),
  ];
  return (
    <Section title={texts.setUpFacts}>
      <Facts facts={facts} />
      {provider && <WebhookSteps provider={provider} integration={integration} />}
      {provider && (
        <details className={styles.details}>
          <summary>{texts.showSteps}</summary>
          <SetUpSteps provider={provider} integration={integration} />
          {provider.notes.length > 0 && (
            <>
              <h3 className={styles.details}>{setUp.goodToKnow}</h3>
              <ProviderNotes notes={provider.notes} />
            </>
          )}
        </details>
      )}
    </Section>
  );
}
