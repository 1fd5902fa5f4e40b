import { NativeSelect } from '@mantine/core';
import { api } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { listOptions, useForm } from '../../../ui/form.ts';
import { OVERLAP_SECONDS } from '../../../ui/overlap-seconds.ts';
import { useSave } from '../../../ui/use-save.ts';
import type { ApiKey, NewApiKey } from './api-key.ts';

type RotateKeyDialogProps = {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onCreated: (key: NewApiKey) => void;
};

export function RotateKeyDialog({ apiKey: { id, name }, onClose, onCreated }: RotateKeyDialogProps) {
  const { apiKeys: texts } = useTexts().settings;
  const projectId = useProjectId();
  const form = useForm<{ overlap: keyof typeof OVERLAP_SECONDS }>({
    initialValues: { overlap: 'day' },
    fields: { overlapSeconds: 'overlap' },
  });
  const rotate = useSave({
    send: ({ overlap }: typeof form.values) =>
      api.post('/projects/{projectId}/api-keys/{id}/rotate', {
        path: { projectId, id },
        body: { overlapSeconds: OVERLAP_SECONDS[overlap] },
      }),
    form,
    isSecret: true,
    onClose,
    onDone: onCreated,
    refresh: ['/projects/{projectId}/api-keys', '/activity'],
  });
  return (
    <DialogForm
      title={texts.rotateTitle(name)}
      onClose={onClose}
      save={rotate}
      onSubmit={form.onSubmit(rotate.mutate)}
      submit={texts.rotate}
    >
      <p className="soft">{texts.rotateLead}</p>
      <NativeSelect
        label={texts.overlap}
        data={listOptions(texts.overlaps)}
        data-autofocus
        {...form.getInputProps('overlap')}
      />
    </DialogForm>
  );
}
