import { NativeSelect, TextInput } from '@mantine/core';
import { AddressesField, readAddresses } from './addresses-field.tsx';
import { CurrentPasswordInput } from './current-password-input.tsx';
import { useForm } from './form.ts';
import { FormBody } from './form-body.tsx';
import { useSave } from './use-save.ts';

const DAY_MS = 86_400_000;

export type NewCredential = {
  readonly name: string;
  readonly expiresAt?: string;
  readonly password?: string;
  readonly allowedAddresses?: readonly string[];
};

type CredentialFormProps<R> = {
  readonly words: {
    readonly name: string;
    readonly nameHint: string;
    readonly expires: string;
    readonly submit: string;
    readonly addresses: string;
    readonly addressesHint: string;
    /** Where the password is asked for. */
    readonly password?: string | undefined;
    readonly showPassword?: string | undefined;
  };
  /** What may be chosen, the first one at first. Without `days` it never expires. */
  readonly lifetimes: readonly { readonly days?: number; readonly label: string }[];
  readonly send: (made: NewCredential) => Promise<R>;
  readonly refresh: readonly string[];
  readonly onMade: (made: R) => void;
  readonly onCancel: () => void;
};

/** Name, end and addresses of a new token. */
export function CredentialForm<R>({ words, lifetimes, send, onMade, ...rest }: CredentialFormProps<R>) {
  const form = useForm({
    initialValues: { name: '', lifetime: '0', password: '', addresses: '' },
    fields: { expiresAt: 'lifetime', allowedAddresses: 'addresses' },
  });
  const create = useSave({
    send: ({ name, lifetime, password, addresses }: typeof form.values) => {
      const days = lifetimes[Number(lifetime)]?.days;
      const expiresAt = days && new Date(Date.now() + days * DAY_MS).toISOString();
      const allowedAddresses = readAddresses(addresses);
      return send({
        name,
        ...(expiresAt && { expiresAt }),
        ...(words.password && { password }),
        ...(allowedAddresses && { allowedAddresses }),
      });
    },
    form,
    isSecret: true,
    onDone: onMade,
    refresh: rest.refresh,
  });
  return (
    <FormBody
      save={create}
      onSubmit={form.onSubmit(create.mutate)}
      submit={words.submit}
      onCancel={rest.onCancel}
    >
      <TextInput
        label={words.name}
        description={words.nameHint}
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <NativeSelect
        label={words.expires}
        data={lifetimes.map(({ label }, index) => ({ value: String(index), label }))}
        {...form.getInputProps('lifetime')}
      />
      <AddressesField
        label={words.addresses}
        hint={words.addressesHint}
        {...form.getInputProps('addresses')}
      />
      {words.password && (
        <CurrentPasswordInput
          label={words.password}
          showPassword={words.showPassword}
          {...form.getInputProps('password')}
        />
      )}
    </FormBody>
  );
}
