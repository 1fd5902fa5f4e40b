import { Button } from '@mantine/core';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useShownOnce } from '../../ui/use-shown-once.ts';
import styles from './me.module.css';

/** A token that was just made, with a warning before the operator leaves without it. */
export function MadeToken({ token, onDone }: { token: string; onDone: () => void }) {
  const { me: texts, common } = useTexts();
  useShownOnce();
  return (
    <div className={styles.stack}>
      <Notice tone="good" title={texts.tokenCreated} isAlert>
        {texts.shownOnce}
      </Notice>
      <CodeBlock code={token} label={texts.tokenCreated} />
      <Button onClick={onDone}>{common.close}</Button>
    </div>
  );
}
