import { Textarea } from '@mantine/core';
import { ChangedMeanwhile, changeCurrent, mergeEdit } from '../../api/change.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useForm } from '../../ui/form.ts';
import { FormBody } from '../../ui/form-body.tsx';
import { Section } from '../../ui/page.tsx';
import { useSave } from '../../ui/use-save.ts';
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
  const form = useForm({ initialValues: { customMetadata: stored } });
  const { value, error, onChange } = form.getInputProps('customMetadata');
  const object = parseObject(value);
  const save = useSave({
    send: (wanted: JsonObject) =>
      changeCurrent('/connections/{id}', { id: connection.id }, ({ customMetadata: now }) => {
        const before: JsonObject = parseObject(form.getFilled().customMetadata) ?? {};
        if (mergeEdit(before, wanted, now) === undefined)
          throw new ChangedMeanwhile(() => form.fill({ customMetadata: JSON.stringify(now, null, 2) }));
        return { customMetadata: makeMergePatch(before, wanted) };
      }),
    form,
    done: texts.saved,
    refresh: ['/connections/{id}'],
  });
  return (
    <FormBody
      save={save}
      onSubmit={form.onSubmit(() => object && save.mutate(object))}
      submit={texts.save}
      isSecondary
      isDisabled={object === undefined || value === stored}
    >
      <Textarea
        aria-label={texts.field}
        value={value}
        onChange={onChange}
        error={object === undefined ? texts.invalid : error}
        classNames={{ input: 'mono' }}
        rows={Math.min(14, Math.max(3, value.split('\n').length))}
        spellCheck={false}
      />
    </FormBody>
  );
}
