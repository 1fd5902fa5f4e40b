import { TextInput } from '@mantine/core';
import type { Operator } from '../../api/operators.ts';
import { api } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CurrentPasswordInput } from '../../ui/current-password-input.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { useSave } from '../../ui/use-save.ts';

type Props = { readonly me: Operator; readonly onDone: () => void };

/** Asks for password and code before the second factor goes. */
export function SwitchOffDialog({ me, onDone }: Props) {
  const { me: texts, 'sign-in': signIn } = useTexts();
  const form = useForm({ initialValues: { password: '', otp: '' } });
  const disable = useSave({
    send: (values: typeof form.values) =>
      api.post('/operators/me/otp/disable', { body: me.hasPassword ? values : { otp: values.otp } }),
    form,
    done: texts.switchedOff,
    onClose: onDone,
    refresh: ['/operators/me'],
  });
  return (
    <DialogForm
      title={texts.switchOff}
      onClose={onDone}
      save={disable}
      onSubmit={form.onSubmit(disable.mutate)}
      submit={texts.switchOff}
      isDangerous
    >
      {me.hasPassword && (
        <CurrentPasswordInput
          label={signIn.password}
          showPassword={signIn.showPassword}
          data-autofocus
          {...form.getInputProps('password')}
        />
      )}
      <TextInput label={signIn.otp} autoComplete="one-time-code" required {...form.getInputProps('otp')} />
    </DialogForm>
  );
}
