import type { ReactNode } from 'react';
import type { Provider } from '../../api/catalog.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Breakable } from '../../ui/breakable.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { bringsClient, hasClient } from './form-values.ts';
import styles from './integrations.module.css';

/** Where the API has a place for what only saving gives. */
const LATER = '<integration id>';
/** What the address of an integration's webhooks has before it. */
const WEBHOOKS = '/webhooks/';

/** The catalog's own words are English, in pages of other languages too. */
const ENGLISH = { lang: 'en' } as const;

type SetUpStepsProps = {
  readonly provider: Provider;
  /** Of an integration that there is; its addresses take the place of the provider's general ones. */
  readonly integration?: Saved;
};

type Saved = { readonly id: string; readonly redirectUrl: string | null };

/** What to do in the provider's portal, numbered, with addresses to copy at the step that needs them. */
export function SetUpSteps({ provider, integration }: SetUpStepsProps) {
  const { integrations: texts } = useTexts();
  const redirectUrl = integration?.redirectUrl ?? provider.redirectUrl;
  const generic = useGenericSteps(provider);
  const all = provider.setupSteps.length > 0 ? provider.setupSteps : generic;
  // The address of the webhooks is known once the integration is saved, whose page has these steps.
  const isForLater = (step: string) => namesWebhooks(step) && integration === undefined;
  const steps = all
    .filter((step) => !isForLater(step))
    .map((step) => completeStep(step, provider, integration));
  const isLater = redirectUrl?.includes(LATER) === true;
  return (
    <>
      <div className={styles.portalLinks}>
        {provider.portalUrl && <ExternalLink url={provider.portalUrl}>{texts.setUp.openPortal}</ExternalLink>}
        {provider.docsUrl && <ExternalLink url={provider.docsUrl}>{texts.setUp.openDocs}</ExternalLink>}
      </div>
      <StepList
        steps={steps}
        redirectUrl={redirectUrl}
        scopes={provider.scopes}
        {...(all !== generic && ENGLISH)}
      />
      {isLater && !bringsClient(provider) && <p className="soft small">{texts.setUp.redirectUrlLater}</p>}
      {all.some(isForLater) && <p className="soft small">{texts.setUp.webhooksLater}</p>}
      {redirectUrl !== null && !isLater && !steps.some((step) => step.includes(redirectUrl)) && (
        <CopyField label={texts.setUp.redirectUrl} value={redirectUrl} />
      )}
    </>
  );
}

/** The steps that wait for the integration to be saved; nothing for providers that have none. */
export function WebhookSteps({ provider, integration }: { provider: Provider; integration: Saved }) {
  const { integrations: texts } = useTexts();
  const steps = provider.setupSteps.filter(namesWebhooks);
  if (steps.length === 0) return null;
  return (
    <>
      <h3 className={styles.details}>{texts.setUp.webhooksTitle}</h3>
      <StepList
        steps={steps.map((step) => completeStep(step, provider, integration))}
        redirectUrl={integration.redirectUrl}
        scopes={provider.scopes}
        {...ENGLISH}
      />
    </>
  );
}

function namesWebhooks(step: string): boolean {
  return step.includes(`${WEBHOOKS}${LATER}`);
}

type StepListProps = { readonly steps: readonly string[]; readonly lang?: 'en' } & Omit<
  StepTextProps,
  'text'
>;

function StepList({ steps, lang, ...facts }: StepListProps) {
  return (
    <ol className={styles.steps} lang={lang}>
      {steps.map((step) => (
        <li key={step}>
          <p>
            <StepText text={step} {...facts} />
          </p>
        </li>
      ))}
    </ol>
  );
}

/** Steps for a provider whose entry has none. */
function useGenericSteps(provider: Provider): string[] {
  const { setUp: texts } = useTexts().integrations;
  if (!hasClient(provider)) {
    return [
      provider.auth === 'basic' ? texts.genericPassword(provider.name) : texts.genericKey(provider.name),
    ];
  }
  const redirect = provider.redirectUrl === null ? [] : [`${texts.genericRedirect} ${provider.redirectUrl}`];
  return [texts.genericRegister(provider.name), ...redirect, texts.genericCopy];
}

function completeStep(step: string, provider: Provider, integration: SetUpStepsProps['integration']): string {
  if (integration === undefined) return step;
  const { redirectUrl } = integration;
  const named =
    redirectUrl === null ? step : step.replaceAll(provider.redirectUrl ?? redirectUrl, redirectUrl);
  return named.replaceAll(LATER, integration.id);
}

/** A placeholder is part of the address that it stands in, blanks and all. */
const ADDRESS =
  /(https?:\/\/(?:<[^<>]+>|[^\s,()<>])*(?:<[^<>]+>|[^\s,().:;<>])|(?<=\()(?:[a-z0-9-]+\.)+[a-z]{2,}(?:\/[^\s,()]*)?(?=\)))/;

type StepTextProps = {
  readonly text: string;
  readonly redirectUrl: string | null;
  /** Some look like addresses. */
  readonly scopes?: Provider['scopes'];
};

/** Addresses as links, and the gateway's own as code: it is to be copied, not opened. */
function StepText({ text, redirectUrl, scopes }: StepTextProps) {
  const { setUp } = useTexts().integrations;
  // With a group, split keeps what it splits at, at every odd place.
  return text.split(ADDRESS).map((part, index): ReactNode => {
    if (index % 2 === 0) return part;
    const isOurs =
      part.startsWith(`${location.origin}/`) ||
      /\/webhooks\/[0-9a-f-]{36}$/.test(part) ||
      (redirectUrl !== null && part === redirectUrl);
    const key = `${index} ${part}`;
    if (isOurs && !part.includes('<'))
      return (
        <CopyField
          key={key}
          label={part.includes(WEBHOOKS) ? setUp.webhookUrl : setUp.redirectUrl}
          value={part}
        />
      );
    const isScope = scopes?.descriptions[part] !== undefined || scopes?.defaults.includes(part);
    if (isOurs || isScope || part.includes('<')) return <code key={key}>{part}</code>;
    const url = part.startsWith('http') ? part : `https://${part}`;
    return (
      <a key={key} href={url} target="_blank" rel="noopener noreferrer">
        {part}
      </a>
    );
  });
}

function ExternalLink({ url, children }: { url: string; children: ReactNode }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={styles.external}>
      {children}
      <Icon name="external" size={13} />
    </a>
  );
}

/** A value in full, to copy. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const { common } = useTexts();
  return (
    <span className={styles.copyField}>
      <span className="unseen">{label}</span>
      <code>
        <Breakable text={value} />
      </code>
      <CopyButton value={value} label={`${common.copy}: ${label}`} size={26} />
    </span>
  );
}

/** What a developer should know before choosing it. */
export function ProviderNotes({ notes }: { notes: readonly string[] }) {
  return (
    <ul className={styles.notes} {...ENGLISH}>
      {notes.map((note) => (
        <li key={note}>
          <StepText text={note} redirectUrl={null} />
        </li>
      ))}
    </ul>
  );
}
