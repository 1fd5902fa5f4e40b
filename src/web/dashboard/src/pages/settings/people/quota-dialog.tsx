import { TextInput } from '@mantine/core';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { useForm } from '../../../ui/form.ts';
import { sendEdit } from '../../../ui/send-edit.ts';
import { useSave } from '../../../ui/use-save.ts';
import { QUOTA_MAX, useFaultOfAmount } from '../amounts.ts';

type QuotaDialogProps = {
  readonly organization: Schema<'OrganizationList'>['organizations'][number];
  readonly onClose: () => void;
};

function readValues({ callsPerDay }: { readonly callsPerDay: number | null }) {
  return { quota: String(callsPerDay ?? '') };
}

/** Gives one organization a quota of its own in the place of the project's, or takes it away. */
export function QuotaDialog({ organization, onClose }: QuotaDialogProps) {
  const { organizations: texts, common } = useTexts();
  const faultOfAmount = useFaultOfAmount();
  const path = { projectId: useProjectId(), id: organization.id };
  const form = useForm({
    initialValues: readValues(organization),
    rules: { quota: (text) => faultOfAmount(text, QUOTA_MAX) },
    fields: { callsPerDay: 'quota' },
  });
  const save = useSave({
    send: (values: typeof form.values) =>
      sendEdit({
        ...{ template: '/projects/{projectId}/organizations/{id}', path, form, values, read: readValues },
        write: ({ quota }) => ({ callsPerDay: quota.trim() === '' ? null : Number(quota) }),
      }),
    form,
    done: common.saved,
    onClose,
    refresh: ['/projects/{projectId}/organizations', '/activity'],
  });
  return (
    <DialogForm
      title={texts.quotaOf(organization.organizationId)}
      onClose={onClose}
      save={save}
      onSubmit={form.onSubmit(save.mutate)}
      submit={common.save}
      isDisabled={!form.isDirty()}
    >
      <TextInput
        label={texts.quota}
        description={texts.quotaHint}
        inputMode="numeric"
        data-autofocus
        {...form.getInputProps('quota')}
      />
    </DialogForm>
  );
}
