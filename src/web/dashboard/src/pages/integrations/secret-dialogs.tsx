import { Button, PasswordInput, TextInput } from '@mantine/core';
import { api } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { type Form, useForm } from '../../ui/form.ts';
import { useSave } from '../../ui/use-save.ts';
import { type Integration, toInstant } from './form-values.ts';
import { PATHS_OF_INTEGRATION } from './integration-queries.ts';

type DialogProps = { readonly integration: Integration; readonly onClose: () => void };
type Values = { clientSecret: string; secretExpires: string };
type SecretChange = { readonly clientSecret?: string; readonly secretExpiresAt?: string | null };

const FIELDS_BY_MEMBER = { secretExpiresAt: 'secretExpires' } as const;

/** Changes the secret or its noted end, then has the page ask again. */
function useSecretChange({ integration, onClose }: DialogProps, form: Form<Values>, done: string) {
  return useSave({
    send: (body: SecretChange) => api.patch('/integrations/{id}', { path: { id: integration.id }, body }),
    form,
    done,
    onClose,
    refresh: PATHS_OF_INTEGRATION,
  });
}

/** Takes a new client secret; the present one goes on being tried for seven days. */
export function RotateDialog(props: DialogProps) {
  const { detail: texts, setUp } = useTexts().integrations;
  const form = useForm<Values>({
    initialValues: { clientSecret: '', secretExpires: '' },
    fields: FIELDS_BY_MEMBER,
  });
  const change = useSecretChange(props, form, texts.rotated);
  const submit = ({ clientSecret, secretExpires }: Values) => {
    const secretExpiresAt = toInstant(secretExpires);
    change.mutate({ clientSecret: clientSecret.trim(), ...(secretExpiresAt && { secretExpiresAt }) });
  };
  return (
    <DialogForm
      title={texts.rotateTitle}
      onClose={props.onClose}
      save={change}
      onSubmit={form.onSubmit(submit)}
      submit={texts.rotateSave}
      isDisabled={form.values.clientSecret.trim() === ''}
    >
      <p>{texts.rotateText}</p>
      <PasswordInput
        label={texts.rotateTitle}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': setUp.showSecret }}
        required
        data-autofocus
        {...form.getInputProps('clientSecret')}
      />
      <TextInput
        type="date"
        label={setUp.secretExpires}
        description={setUp.secretExpiresHint}
        {...form.getInputProps('secretExpires')}
      />
    </DialogForm>
  );
}

type ExpiryDialogProps = DialogProps & { readonly expiresAt: string | null };

/** Notes when the client secret ends at the provider. */
export function ExpiryDialog({ expiresAt, ...props }: ExpiryDialogProps) {
  const { common, integrations } = useTexts();
  const { detail: texts, setUp } = integrations;
  const form = useForm<Values>({
    initialValues: { clientSecret: '', secretExpires: expiresAt?.slice(0, 10) ?? '' },
    fields: FIELDS_BY_MEMBER,
  });
  const change = useSecretChange(props, form, common.saved);
  return (
    <DialogForm
      title={texts.expiryTitle}
      onClose={props.onClose}
      save={change}
      onSubmit={form.onSubmit(({ secretExpires }) =>
        change.mutate({ secretExpiresAt: toInstant(secretExpires) ?? null }),
      )}
      submit={common.save}
      actions={
        expiresAt !== null && (
          <Button variant="subtle" onClick={() => change.mutate({ secretExpiresAt: null })}>
            {texts.clearExpiry}
          </Button>
        )
      }
    >
      <TextInput
        type="date"
        label={setUp.secretExpires}
        description={texts.expiryText}
        data-autofocus
        {...form.getInputProps('secretExpires')}
      />
    </DialogForm>
  );
}
