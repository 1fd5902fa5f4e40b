import { Button, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { askForPasswordReset } from '../../api/operators.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useForm } from '../../ui/form.ts';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { useSave } from '../../ui/use-save.ts';
import styles from './card.module.css';
import { Card } from './card.tsx';

/** Asks for a link by e-mail. A gateway that sends none has a command instead, which prints such a link. */
export function ForgottenPassword({ hasMail, onBack }: { hasMail: boolean; onBack: () => void }) {
  const { 'sign-in': texts, common } = useTexts();
  const back = (
    <button type="button" className={styles.quiet} onClick={onBack}>
      {common.back}
    </button>
  );
  if (hasMail) return <AskForLink back={back} />;
  return (
    <Card title={texts.forgottenTitle} lead={texts.forgottenNoMail}>
      <div className={styles.form}>
        <CodeBlock code="npm run operator -- reset-password <email>" label={texts.forgottenTitle} />
        {back}
      </div>
    </Card>
  );
}

function AskForLink({ back }: { back: ReactNode }) {
  const { 'sign-in': texts } = useTexts();
  const form = useForm({ initialValues: { email: '' } });
  const ask = useSave({ send: ({ email }: typeof form.values) => askForPasswordReset(email), form });
  return (
    <Card title={texts.forgottenTitle} lead={texts.forgottenLead}>
      <form className={styles.form} onSubmit={form.onSubmit(ask.mutate)}>
        <ProblemNotice error={ask.problem} />
        {ask.isSuccess && <Notice tone="good" title={texts.forgottenSent(form.values.email)} isAlert />}
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          required
          autoFocus
          {...form.getInputProps('email')}
        />
        <Button type="submit" size="md" loading={ask.isPending}>
          {texts.forgottenSubmit}
        </Button>
        {back}
      </form>
    </Card>
  );
}
