import { Modal } from '@mantine/core';
import { Fragment } from 'react';
import { useTexts } from '../texts/texts.tsx';
import styles from './frame.module.css';
import { PROJECT_PAGES } from './pages-of-project.ts';

/** What `?` opens. */
export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const { keyboard, frame } = useTexts();
  const rows: readonly (readonly [meaning: string, keys: readonly string[]])[] = [
    [keyboard.search, ['/', 'Ctrl K']],
    [keyboard.help, ['?']],
    [keyboard.nextRow, ['j']],
    [keyboard.previousRow, ['k']],
    [keyboard.openRow, ['Enter']],
    ...PROJECT_PAGES.map(({ name, key }) => [keyboard.goTo(frame.nav[name]), ['g', key]] as const),
    [keyboard.closeDialog, ['Esc']],
  ];
  return (
    <Modal opened onClose={onClose} title={keyboard.title}>
      <dl className={styles.keys}>
        {rows.map(([meaning, keys]) => (
          <Fragment key={meaning}>
            <dt>{meaning}</dt>
            <dd>
              {keys.map((key) => (
                <Fragment key={key}>
                  <kbd>{key}</kbd>{' '}
                </Fragment>
              ))}
            </dd>
          </Fragment>
        ))}
      </dl>
    </Modal>
  );
}
