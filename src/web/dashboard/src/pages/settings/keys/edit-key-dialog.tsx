import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { useForm } from '../../../ui/form.ts';
import { sendEdit } from '../../../ui/send-edit.ts';
import { useSave } from '../../../ui/use-save.ts';
import type { ApiKey } from './api-key.ts';
import { KEY_FIELDS, KeyFields, type KeyValues, listKnownScopes, readLimits } from './key-fields.tsx';
import { findSet } from './key-sets.ts';
import { useScopeRule } from './use-scope-rule.ts';

function write(values: KeyValues) {
  const { scopes, allowedAddresses = null } = readLimits(values);
  return { name: values.name, scopes, allowedAddresses };
}

/** Changes what a key may do, and from where: at once, without a new key. */
export function EditKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { settings, common } = useTexts();
  const { apiKeys: texts } = settings;
  const projectId = useProjectId();
  const read = ({ name, scopes, allowedAddresses }: ApiKey): KeyValues => ({
    name,
    set: findSet(scopes),
    scopes: listKnownScopes(texts.scopes, scopes),
    addresses: (allowedAddresses ?? []).join('\n'),
  });
  const form = useForm<KeyValues>({
    initialValues: read(apiKey),
    fields: KEY_FIELDS,
    rules: { scopes: useScopeRule() },
  });
  const save = useSave({
    send: (values: KeyValues) =>
      sendEdit({
        ...{ template: '/projects/{projectId}/api-keys/{id}', path: { projectId, id: apiKey.id } },
        ...{ form, values, read, write },
      }),
    form,
    done: common.saved,
    onClose,
    refresh: ['/projects/{projectId}/api-keys', '/activity'],
  });
  return (
    <DialogForm
      title={texts.editTitle(apiKey.name)}
      onClose={onClose}
      save={save}
      onSubmit={form.onSubmit(save.mutate)}
      submit={common.save}
    >
      <p className="soft">{texts.editLead}</p>
      <KeyFields form={form} />
    </DialogForm>
  );
}
