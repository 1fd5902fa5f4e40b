import { useQuery } from '@tanstack/react-query';
import { grantToStore, type Provider, providerQuery, withGrant } from '../../api/catalog.ts';
import { useCanEdit, useRole } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import { hasClient } from './form-values.ts';
import { GrantChoice } from './grant-choice.tsx';
import styles from './integrations.module.css';
import { ProviderStanding } from './provider-standing.tsx';
import { SetUpForm } from './set-up-form.tsx';
import { ProviderNotes, SetUpSteps } from './set-up-steps.tsx';

/** One page to set a provider up: what to do there on the left, the form on the right. */
export function SetUp({ projectId, provider, grant }: SetUpProps) {
  const query = useQuery(providerQuery(provider, projectId));
  return (
    <Loaded query={query}>
      {(found) => <SetUpPage projectId={projectId} entry={found} grant={grantToStore(found, grant)} />}
    </Loaded>
  );
}

type SetUpProps = {
  readonly projectId: string;
  readonly provider: string;
  /** Which of the provider's ways to authenticate; undefined: the usual one. */
  readonly grant: string | undefined;
};

type SetUpPageProps = {
  readonly projectId: string;
  readonly entry: Provider;
  readonly grant: string | null;
};

function SetUpPage({ projectId, entry, grant }: SetUpPageProps) {
  const provider = withGrant(entry, grant);
  const { integrations: texts } = useTexts();
  const role = useRole(projectId);
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
      <GrantChoice projectId={projectId} provider={entry} chosen={grant} />
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
          {role === 'viewer' && <Notice tone="info" title={texts.setUp.notAllowed} />}
          {canEdit && <SetUpForm key={grant} projectId={projectId} provider={provider} grant={grant} />}
        </Section>
      </div>
    </>
  );
}
