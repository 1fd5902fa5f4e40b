import { Button, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useSave } from '../../ui/use-save.ts';
import type { Integration } from './form-values.ts';

const CHANGED = ['/integrations', '/integrations/{id}', '/activity'];

/** Opens the dialog that switches an integration off. */
export function SwitchOffButton({ integration }: { readonly integration: Integration }) {
  const { switching: texts } = useTexts().integrations;
  const [isOpen, dialog] = useDisclosure();
  if (integration.disabled !== null) return null;
  return (
    <>
      <Button variant="subtle" leftSection={<Icon name="pause" size={15} />} onClick={dialog.open}>
        {texts.off}
      </Button>
      {isOpen && <SwitchOffDialog id={integration.id} onClose={dialog.close} />}
    </>
  );
}

function SwitchOffDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { switching: texts } = useTexts().integrations;
  const form = useForm({ initialValues: { reason: '' }, fields: { 'disabled.reason': 'reason' } });
  const save = useSave({
    send: (disabled: typeof form.values) =>
      api.patch('/integrations/{id}', { path: { id }, body: { disabled } }),
    form,
    done: texts.isOff,
    refresh: CHANGED,
    onClose,
  });
  return (
    <DialogForm
      title={texts.offTitle}
      onClose={onClose}
      save={save}
      onSubmit={form.onSubmit(save.mutate)}
      submit={texts.off}
    >
      <p>{texts.offLead}</p>
      <Textarea
        label={texts.reason}
        description={texts.reasonHint}
        required
        autosize
        minRows={2}
        maxLength={300}
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </DialogForm>
  );
}

/** Says that an integration is switched off, and why. */
export function SwitchedOff({
  integration,
  canEdit,
}: {
  readonly integration: Integration;
  readonly canEdit: boolean;
}) {
  const { switching: texts } = useTexts().integrations;
  const path = { id: integration.id };
  const switchOn = useAction({
    send: () => api.patch('/integrations/{id}', { path, body: { disabled: null } }),
    done: texts.isOn,
    refresh: CHANGED,
  });
  const { disabled } = integration;
  if (disabled === null) return null;
  const button = (
    <Button size="compact-sm" loading={switchOn.isPending} onClick={() => switchOn.mutate()}>
      {texts.on}
    </Button>
  );
  return (
    <Notice tone="warning" title={texts.banner} foot={canEdit && button}>
      {disabled.reason} (<Time at={disabled.at} />)
    </Notice>
  );
}
