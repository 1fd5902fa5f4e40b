import { useTexts } from '../../texts/texts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useProvider } from '../../ui/provider-mark.tsx';
import { describeEntry } from './describe-entry.ts';
import { type Entry, listProviders } from './mandate.ts';
import styles from './mandates.module.css';
import { useNaming } from './use-naming.ts';

/** What the entries allow, in sentences, and what the gateway knows of their providers too little to say. */
export function EntrySentences({ entries }: { entries: readonly Entry[] }) {
  const { mandates: texts } = useTexts();
  const providers = listProviders(entries);
  const naming = useNaming(providers);
  const named = entries.filter(({ provider }) => provider !== '');
  return (
    <>
      <ol className={styles.sentences}>
        {named.map((entry, index) => (
          // Entries have no names: their place is what the API tells them apart by.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={index}>
            <strong>{texts.entry(index + 1)}</strong>
            <p>{describeEntry(entry, naming).join(' ')}</p>
            {entry.paths && <PathList paths={entry.paths} />}
          </li>
        ))}
      </ol>
      {providers.map((provider) => (
        <ByMethods key={provider} provider={provider} name={naming.nameOf(provider)} />
      ))}
    </>
  );
}

function PathList({ paths }: { paths: readonly string[] }) {
  return (
    <ul className={styles.paths}>
      {[...new Set(paths)].map((path) => (
        <li key={path}>
          <code>{path}</code>
        </li>
      ))}
    </ul>
  );
}

/** Where the provider's file says nothing of reading and changing. */
function ByMethods({ provider, name }: { provider: string; name: string }) {
  const { mandates: texts } = useTexts();
  if (useProvider(provider)?.access !== 'methods') return null;
  return (
    <div className={styles.notice}>
      <Notice tone="warning" title={texts.byMethods(name)}>
        {texts.byMethodsText}
      </Notice>
    </div>
  );
}
