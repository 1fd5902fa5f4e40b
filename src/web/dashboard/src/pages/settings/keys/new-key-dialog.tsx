import { NativeSelect } from '@mantine/core';
import { api } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { useForm } from '../../../ui/form.ts';
import { useSave } from '../../../ui/use-save.ts';
import type { NewApiKey } from './api-key.ts';
import { KEY_FIELDS, KeyFields, type KeyValues, readLimits } from './key-fields.tsx';
import { useScopeRule } from './use-scope-rule.ts';

const DAY_MS = 86_400_000;
const LIFETIME_DAYS = { never: undefined, days30: 30, days90: 90, year: 365 } as const;

type Values = KeyValues & { readonly lifetime: keyof typeof LIFETIME_DAYS };

const NEW: Values = { name: '', set: 'everything', scopes: [], addresses: '', lifetime: 'never' };

type NewKeyDialogProps = {
  readonly onClose: () => void;
  readonly onCreated: (key: NewApiKey) => void;
};

export function NewKeyDialog({ onClose, onCreated }: NewKeyDialogProps) {
  const { apiKeys: texts } = useTexts().settings;
  const projectId = useProjectId();
  const form = useForm<Values>({
    initialValues: NEW,
    fields: { ...KEY_FIELDS, expiresAt: 'lifetime' },
    rules: { scopes: useScopeRule() },
  });
  const create = useSave({
    send: (values: Values) => {
      const days = LIFETIME_DAYS[values.lifetime];
      const expiresAt = days && new Date(Date.now() + days * DAY_MS).toISOString();
      const { scopes, allowedAddresses } = readLimits(values);
      const limits = {
        scopes,
        ...(allowedAddresses && { allowedAddresses }),
        ...(expiresAt && { expiresAt }),
      };
      return api.post('/projects/{projectId}/api-keys', {
        path: { projectId },
        body: { name: values.name, ...limits },
      });
    },
    form,
    isSecret: true,
    onClose,
    onDone: onCreated,
    refresh: ['/projects/{projectId}/api-keys', '/activity'],
  });
  return (
    <DialogForm
      title={texts.create}
      onClose={onClose}
      save={create}
      onSubmit={form.onSubmit(create.mutate)}
      submit={texts.create}
    >
      <KeyFields form={form} />
      <NativeSelect
        label={texts.expiry}
        data={Object.entries(texts.expiries).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('lifetime')}
      />
    </DialogForm>
  );
}
