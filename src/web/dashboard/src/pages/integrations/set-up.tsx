import { useQuery } from '@tanstack/react-query';
import { type Provider, providerQuery } from '../../api/catalog.ts';
import { useCanEdit } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import { hasClient } from './form-values.ts';
import styles from './integrations.module.css';
import { ProviderStanding } from './provider-standing.tsx';
import { SetUpForm } from './set-up-form.tsx';
import { ProviderNotes, SetUpSteps } from './set-up-steps.tsx';

/** One page to set a provider up: what to do there on the left, the form on the right. */
export function SetUp({ projectId, provider }: { projectId: string; provider: string }) {
  const query = useQuery(providerQuery(provider, projectId));
  return <Loaded query={query}>{(found) => <SetUpPage projectId={projectId} provider={found} />}</Loaded>;
}

function SetUpPage({ projectId, provider }: { projectId: string; provider: Provider }) {
  const { integrations: texts } = useTexts();
  const canEdit = useCanEdit(projectId);
  const isOAuth = hasClient(provider);
  return (
    <>
      <PageHead
        title={texts.setUp.title(provider.name)}
        parent={{
          label: texts.setUp.otherProvider,
          link: { to: `/p/${projectId}/integrations/new` },
        }}
        state={<ProviderLogo id={provider.id} logoUrl={provider.logoUrl} size={30} />}
        meta={
          <>
            <span>{texts.categories[provider.category]}</span>
            <span>{texts.auth[provider.auth]}</span>
            <span className="mono">{provider.id}</span>
          </>
        }
      />
      <ProviderStanding provider={provider} />
      <div className={styles.columns}>
        <div>
          <Section
            title={texts.setUp.stepsTitle(provider.name)}
            lead={isOAuth ? texts.setUp.stepsLead : texts.setUp.stepsLeadKeys}
          >
            <SetUpSteps provider={provider} />
          </Section>
          {provider.notes.length > 0 && (
            <div className={styles.last}>
              <Section title={texts.setUp.goodToKnow}>
                <ProviderNotes notes={provider.notes} />
              </Section>
            </div>
          )}
        </div>
        <Section title={isOAuth ? texts.setUp.formTitle : texts.setUp.formTitleKeys}>
          {canEdit ? (
            <SetUpForm projectId={projectId} provider={provider} />
          ) : (
            <Notice tone="info" title={texts.setUp.notAllowed} />
          )}
        </Section>
      </div>
    </>
  );
}
