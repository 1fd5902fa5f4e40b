import { Autocomplete, Button, NativeSelect, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../../texts/texts.tsx';
import { Icon } from '../../../ui/icons.tsx';
import styles from './console.module.css';
import { type ConsoleCall, hasBody, METHODS } from './console-call.ts';
import { RowsEditor } from './rows-editor.tsx';

type Props = {
  readonly call: ConsoleCall;
  readonly onChange: (part: Partial<ConsoleCall>) => void;
  readonly paths: readonly string[];
  readonly isSending: boolean;
  readonly isAllowed: boolean;
  readonly onSend: () => void;
  readonly onCancel: () => void;
  /** Provider, user and connection. */
  readonly target: ReactNode;
};

/** Method, path, query, headers and body of a call. */
export function CallForm({ call, onChange, paths, isSending, isAllowed, onSend, onCancel, target }: Props) {
  const { calls } = useTexts();
  const texts = calls.console;
  const isInvalid = call.path !== '' && !call.path.startsWith('/');
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (isAllowed && !isInvalid && call.path !== '') onSend();
      }}
    >
      {target}
      <div className={styles.requestLine}>
        <NativeSelect
          aria-label={texts.method}
          data={[...METHODS]}
          value={call.method}
          onChange={(event) => {
            const method = METHODS.find((each) => each === event.currentTarget.value);
            if (method) onChange({ method });
          }}
        />
        <Autocomplete
          className={styles.path}
          aria-label={texts.path}
          placeholder={texts.pathHint}
          data={[...paths]}
          value={call.path}
          onChange={(path) => onChange({ path })}
          error={isInvalid && texts.invalidPath}
          maxDropdownHeight={260}
          spellCheck={false}
          comboboxProps={{ shadow: 'md' }}
        />
        {isSending ? (
          <Button variant="default" onClick={onCancel}>
            {texts.cancel}
          </Button>
        ) : (
          <Button
            type="submit"
            leftSection={<Icon name="send" size={15} />}
            disabled={!isAllowed || isInvalid || call.path === ''}
          >
            {texts.send}
          </Button>
        )}
      </div>
      <div className={styles.parts}>
        <RowsEditor
          legend={texts.query}
          addLabel={texts.addQuery}
          rows={call.query}
          onChange={(query) => onChange({ query })}
        />
        <RowsEditor
          legend={texts.headers}
          addLabel={texts.addHeader}
          rows={call.headers}
          onChange={(headers) => onChange({ headers })}
        />
      </div>
      {hasBody(call.method) && (
        <Textarea
          label={texts.body}
          value={call.body}
          onChange={(event) => onChange({ body: event.currentTarget.value })}
          classNames={{ input: styles.code ?? '' }}
          rows={Math.min(16, Math.max(4, call.body.split('\n').length + 1))}
          spellCheck={false}
        />
      )}
    </form>
  );
}
