import { PasswordInput, TextInput } from '@mantine/core';
import { api } from '../../api/queries.ts';
import type { Schema } from '../../api/schemas.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { sendEdit } from '../../ui/send-edit.ts';
import { useSave } from '../../ui/use-save.ts';
import type { Integration } from './form-values.ts';
import { PATHS_OF_INTEGRATION } from './integration-queries.ts';

type Values = { organizationId: string; clientId: string; clientSecret: string };

const NEW: Values = { organizationId: '', clientId: '', clientSecret: '' };

function readValues({ organizationId, clientId }: Schema<'OrganizationClient'>): Values {
  return { organizationId, clientId, clientSecret: '' };
}

const writeValues = ({ clientId, clientSecret }: Values) => ({ clientId, clientSecret });

type DialogProps = {
  readonly integration: Integration;
  /** Undefined: a new one is made. */
  readonly client: Schema<'OrganizationClient'> | undefined;
  readonly onClose: () => void;
};

/** Takes the OAuth client of an organization, or another client id or secret in the place of the present one. */
export function OrganizationClientDialog({ integration, client, onClose }: DialogProps) {
  const { organizationClients: texts, setUp } = useTexts().integrations;
  const initialValues = client === undefined ? NEW : readValues(client);
  const { organizationId } = initialValues;
  const form = useForm<Values>({ initialValues });
  const { id } = integration;
  const save = useSave({
    send: (values: Values) => {
      if (client === undefined) return api.post('/integrations/{id}/clients', { path: { id }, body: values });
      return sendEdit({
        ...{ template: '/integrations/{id}/clients/{clientId}', path: { id, clientId: client.id } },
        ...{ form, values, read: readValues, write: writeValues },
      });
    },
    form,
    done: texts.saved,
    onClose,
    refresh: PATHS_OF_INTEGRATION,
  });
  const isComplete = Object.values(form.values).every((value) => value.trim() !== '');
  return (
    <DialogForm
      title={client === undefined ? texts.addTitle : texts.replaceTitle(organizationId)}
      onClose={onClose}
      save={save}
      onSubmit={form.onSubmit((values) => save.mutate(trimmed(values)))}
      submit={texts.save}
      isDisabled={!isComplete}
    >
      <p>{client === undefined ? texts.addText : texts.replaceText}</p>
      {client === undefined && integration.redirectUrl !== null && (
        <div>
          <p>{texts.redirectUrl}</p>
          <CodeBlock label={texts.redirectUrl} code={integration.redirectUrl} />
        </div>
      )}
      {client === undefined && (
        <TextInput
          label={texts.organization}
          description={texts.organizationHint}
          required
          data-autofocus
          {...form.getInputProps('organizationId')}
        />
      )}
      <TextInput label={texts.clientId} autoComplete="off" required {...form.getInputProps('clientId')} />
      <PasswordInput
        label={texts.clientSecret}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': setUp.showSecret }}
        required
        {...form.getInputProps('clientSecret')}
      />
    </DialogForm>
  );
}

const trimmed = ({ organizationId, clientId, clientSecret }: Values): Values => ({
  organizationId: organizationId.trim(),
  clientId: clientId.trim(),
  clientSecret: clientSecret.trim(),
});
