import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/queries.ts';
import { useMe } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CurrentPasswordInput } from '../../ui/current-password-input.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { listOptions, useForm } from '../../ui/form.ts';
import { OVERLAP_SECONDS } from '../../ui/overlap-seconds.ts';
import { useSave } from '../../ui/use-save.ts';
import { MadeToken } from './made-token.tsx';

type RotateTokenProps = {
  readonly token: { readonly id: string; readonly name: string };
  readonly onDone: () => void;
};

/** Makes the token that follows and shows it this once; it is held by this component alone. */
export function RotateTokenDialog({ token, onDone }: RotateTokenProps) {
  const { me: texts } = useTexts();
  const [made, setMade] = useState<string>();
  if (made === undefined) return <RotateForm token={token} onDone={onDone} onMade={setMade} />;
  return (
    <Dialog onClose={onDone} title={texts.rotateTokenTitle(token.name)}>
      <MadeToken token={made} onDone={onDone} />
    </Dialog>
  );
}

function RotateForm({ token, onDone, onMade }: RotateTokenProps & { onMade: (token: string) => void }) {
  const { me: texts, 'sign-in': signIn } = useTexts();
  const hasPassword = useMe()?.hasPassword === true;
  const form = useForm<{ overlap: keyof typeof OVERLAP_SECONDS; password: string }>({
    initialValues: { overlap: 'day', password: '' },
    fields: { overlapSeconds: 'overlap' },
  });
  const rotate = useSave({
    send: ({ overlap, password }: typeof form.values) =>
      api.post('/personal-access-tokens/{id}/rotate', {
        path: { id: token.id },
        body: { overlapSeconds: OVERLAP_SECONDS[overlap], ...(hasPassword && { password }) },
      }),
    form,
    isSecret: true,
    onDone: (made) => onMade(made.token),
    refresh: ['/personal-access-tokens'],
  });
  return (
    <DialogForm
      title={texts.rotateTokenTitle(token.name)}
      onClose={onDone}
      save={rotate}
      onSubmit={form.onSubmit(rotate.mutate)}
      submit={texts.rotateToken}
    >
      <p className="soft">{texts.rotateTokenLead}</p>
      <NativeSelect
        label={texts.overlap}
        data={listOptions(texts.overlaps)}
        data-autofocus
        {...form.getInputProps('overlap')}
      />
      {hasPassword && (
        <CurrentPasswordInput
          label={texts.currentPassword}
          showPassword={signIn.showPassword}
          {...form.getInputProps('password')}
        />
      )}
    </DialogForm>
  );
}
