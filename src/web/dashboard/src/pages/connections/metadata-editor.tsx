import { Button, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, refresh } from '../../api/queries.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { showDone } from '../../ui/toasts.tsx';
import styles from './connections.module.css';
import { type JsonObject, makeMergePatch, parseObject } from './merge-patch.ts';

/** The application's own JSON of a connection; saved as what changed, so that others' changes stay. */
export function MetadataEditor({ connection, canEdit }: { connection: Connection; canEdit: boolean }) {
  const { metadata: texts } = useTexts().connections;
  const stored = JSON.stringify(connection.customMetadata, null, 2);
  if (!canEdit)
    return (
      <Section title={texts.title} lead={texts.lead}>
        <CodeBlock code={stored} label={texts.field} />
      </Section>
    );
  return (
    <Section title={texts.title} lead={texts.lead}>
      <Editor key={stored} connection={connection} stored={stored} />
    </Section>
  );
}

function Editor({ connection, stored }: { connection: Connection; stored: string }) {
  const { metadata: texts } = useTexts().connections;
  const client = useQueryClient();
  const [text, setText] = useState(stored);
  const object = parseObject(text);
  const save = useMutation({
    mutationFn: (wanted: JsonObject) =>
      api.patch('/connections/{id}', {
        path: { id: connection.id },
        body: { customMetadata: makeMergePatch(connection.customMetadata, wanted) },
      }),
    onSuccess: async () => {
      await refresh(client, '/connections/{id}');
      showDone(texts.saved);
    },
  });
  return (
    <form
      className={styles.stack}
      onSubmit={(event) => {
        event.preventDefault();
        if (object) save.mutate(object);
      }}
    >
      <ProblemNotice error={save.error} />
      <Textarea
        aria-label={texts.field}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={object === undefined && texts.invalid}
        classNames={{ input: 'mono' }}
        rows={Math.min(14, Math.max(3, text.split('\n').length))}
        spellCheck={false}
      />
      <div className={styles.end}>
        <Button
          type="submit"
          variant="default"
          loading={save.isPending}
          disabled={object === undefined || text === stored}
        >
          {texts.save}
        </Button>
      </div>
    </form>
  );
}
