import { Button, Textarea } from '@mantine/core';
import { useRef, useState } from 'react';
import type { Provider } from '../../api/catalog.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import styles from './integrations.module.css';
import { type Pasted, parsePasted } from './parse-pasted.ts';

const FILE_BYTES_MAX = 200_000;

type PasteBoxProps = { readonly provider: Provider; readonly onFill: (pasted: Pasted) => void };

/** Takes a provider's JSON, `.env` lines or a page's text, and fills the form with what it recognises. */
export function PasteBox({ provider, onFill }: PasteBoxProps) {
  const { setUp: texts } = useTexts().integrations;
  const [text, setText] = useState('');
  const [result, setResult] = useState<Pasted>();
  const file = useRef<HTMLInputElement>(null);
  const read = (given: string) => {
    const pasted = parsePasted(given, provider);
    setResult(given.trim() === '' ? undefined : pasted);
    onFill(pasted);
    // What was taken over stands in the form: a secret needs no second place to be seen at.
    setText(Object.keys(pasted).length > 0 ? '' : given);
  };
  const readFile = async (chosen: File | undefined) => {
    if (chosen !== undefined && chosen.size <= FILE_BYTES_MAX) read(await chosen.text());
  };
  return (
    <details className={styles.paste}>
      <summary>
        <Icon name="copy" size={15} />
        {texts.pasteTitle}
      </summary>
      <Textarea
        label={texts.pasteLabel}
        description={texts.pasteHint}
        placeholder={'{ "web": { "client_id": "…", "client_secret": "…" } }\nCLIENT_ID=…'}
        value={text}
        onChange={(event) => read(event.currentTarget.value)}
        minRows={3}
        maxRows={10}
        spellCheck={false}
        classNames={{ input: 'mono' }}
      />
      <div className={styles.pasteFoot}>
        <input
          ref={file}
          type="file"
          accept=".json,.env,.txt,application/json,text/plain"
          hidden
          onChange={(event) => void readFile(event.currentTarget.files?.[0])}
        />
        <Button variant="default" size="compact-sm" onClick={() => file.current?.click()}>
          {texts.pasteFile}
        </Button>
        {result && <PasteResult pasted={result} provider={provider} />}
      </div>
    </details>
  );
}

function PasteResult({ pasted, provider }: { pasted: Pasted; provider: Provider }) {
  const { setUp: texts } = useTexts().integrations;
  const names = [
    pasted.clientId && texts.clientId,
    pasted.clientSecret && texts.clientSecret,
    pasted.webhookSecret && texts.webhookSecret,
    (pasted.scopes ?? pasted.optionalScopes) && texts.scopes,
    ...Object.keys(pasted.variables ?? {}),
  ].filter(Boolean);
  const isRedirectMissing =
    pasted.redirectUrls !== undefined &&
    provider.redirectUrl !== null &&
    !pasted.redirectUrls.includes(provider.redirectUrl);
  return (
    <div role="status">
      <p>{names.length > 0 ? texts.pasteFilled(names.join(', ')) : texts.pasteNothing}</p>
      {isRedirectMissing && <p className="warn">{texts.pasteRedirectMissing}</p>}
    </div>
  );
}
