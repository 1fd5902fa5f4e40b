import { Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { fieldErrors } from '../../api/problem.ts';
import { api, refresh } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useForm } from '../../ui/form.ts';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import styles from './me.module.css';

const DAY_MS = 86_400_000;
const LIFETIMES_DAYS = [30, 90, 365] as const;

/** The dialog for a new token. */
export default function NewTokenDialog({ onDone }: { onDone: () => void }) {
  const { me: texts } = useTexts();
  return (
    <Modal opened onClose={onDone} title={texts.createToken}>
      <NewToken onDone={onDone} />
    </Modal>
  );
}

/** Makes a token and shows it this once; it is held by this component alone. */
function NewToken({ onDone }: { onDone: () => void }) {
  const { me: texts, common } = useTexts();
  const client = useQueryClient();
  const form = useForm({ initialValues: { name: '', days: String(LIFETIMES_DAYS[1]) } });
  const create = useMutation({
    mutationFn: ({ name, days }: typeof form.values) =>
      api.post('/personal-access-tokens', {
        body: {
          name,
          ...(days !== '' && { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
        },
      }),
    gcTime: 0,
    onSuccess: () => refresh(client, '/personal-access-tokens'),
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  if (create.data)
    return (
      <div className={styles.stack}>
        <Notice tone="good" title={texts.tokenCreated} isAlert>
          {texts.shownOnce}
        </Notice>
        <CodeBlock code={create.data.token} label={texts.tokenCreated} />
        <Button onClick={onDone}>{common.close}</Button>
      </div>
    );
  const lifetimes = LIFETIMES_DAYS.map((days) => ({ value: String(days), label: texts.days(days) }));
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => create.mutate(values))}>
      {create.isError && Object.keys(form.errors).length === 0 && <ProblemNotice error={create.error} />}
      <TextInput
        label={texts.tokenName}
        description={texts.tokenNameHint}
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <NativeSelect
        label={texts.expires}
        data={[...lifetimes, { value: '', label: texts.doesNotExpire }]}
        {...form.getInputProps('days')}
      />
      <Button type="submit" loading={create.isPending}>
        {texts.createToken}
      </Button>
    </form>
  );
}
