import { useTexts } from '../../texts/texts.tsx';
import { Section } from '../../ui/page.tsx';
import { useProviderOptions } from '../../ui/provider-mark.tsx';
import { EntrySentences } from './entry-sentences.tsx';
import { listProviders, type Mandate } from './mandate.ts';
import { useTriedCall } from './mandate-editor.tsx';
import styles from './mandates.module.css';
import { TryCall } from './try-call.tsx';

/** What a mandate allows, for those who may only look. */
export function MandateReader({ mandate }: { mandate: Mandate }) {
  const { mandates: texts } = useTexts();
  const { entries } = mandate;
  const providers = useProviderOptions(listProviders(entries));
  const tried = useTriedCall(entries, providers[0]?.value ?? '');
  return (
    <div className={styles.columns}>
      <Section title={texts.explained} lead={texts.explainedNow}>
        <EntrySentences entries={entries} />
      </Section>
      <TryCall {...tried} entries={entries} providers={providers} />
    </div>
  );
}
