import { TextInput } from '@mantine/core';
import { api } from '../../api/queries.ts';
import { useMe } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { AddressesField, readAddresses } from '../../ui/addresses-field.tsx';
import { CurrentPasswordInput } from '../../ui/current-password-input.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { useSave } from '../../ui/use-save.ts';

export type EditedToken = {
  readonly id: string;
  readonly name: string;
  readonly allowedAddresses: readonly string[] | null;
};

/** Changes name and addresses of a token. Other addresses take the password, as creating one does. */
export function EditTokenDialog({ token, onDone }: { token: EditedToken; onDone: () => void }) {
  const { me: texts, common, 'sign-in': signIn } = useTexts();
  const me = useMe();
  const before = (token.allowedAddresses ?? []).join('\n');
  const form = useForm({
    initialValues: { name: token.name, addresses: before, password: '' },
    fields: { allowedAddresses: 'addresses' },
  });
  const isMoved = form.values.addresses !== before;
  const needsPassword = isMoved && me?.hasPassword === true;
  const save = useSave({
    send: ({ name, addresses, password }: typeof form.values) => {
      const moved = {
        allowedAddresses: readAddresses(addresses) ?? null,
        ...(needsPassword && { password }),
      };
      const body = { ...(name !== token.name && { name }), ...(isMoved && moved) };
      return api.patch('/personal-access-tokens/{id}', { path: { id: token.id }, body });
    },
    form,
    done: common.saved,
    onClose: onDone,
    refresh: ['/personal-access-tokens'],
  });
  return (
    <DialogForm
      title={texts.editToken(token.name)}
      onClose={onDone}
      save={save}
      onSubmit={form.onSubmit(save.mutate)}
      submit={common.save}
    >
      <TextInput
        label={texts.tokenName}
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <AddressesField
        label={texts.addresses}
        hint={texts.addressesHint}
        {...form.getInputProps('addresses')}
      />
      {needsPassword && (
        <CurrentPasswordInput
          label={texts.currentPassword}
          showPassword={signIn.showPassword}
          {...form.getInputProps('password')}
        />
      )}
    </DialogForm>
  );
}
