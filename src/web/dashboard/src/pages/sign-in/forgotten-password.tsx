import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { askForPasswordReset } from '../../api/operators.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import styles from './card.module.css';
import { Card } from './card.tsx';

/** Asks for a link by e-mail. A gateway that sends none has a command instead, which prints such a link. */
export function ForgottenPassword({ hasMail, onBack }: { hasMail: boolean; onBack: () => void }) {
  const { 'sign-in': texts, common } = useTexts();
  const [email, setEmail] = useState('');
  const ask = useMutation({ mutationFn: () => askForPasswordReset(email) });
  const back = (
    <button type="button" className={styles.quiet} onClick={onBack}>
      {common.back}
    </button>
  );
  if (!hasMail)
    return (
      <Card title={texts.forgottenTitle} lead={texts.forgottenNoMail}>
        <div className={styles.form}>
          <CodeBlock code="npm run operator -- reset-password <email>" label={texts.forgottenTitle} />
          {back}
        </div>
      </Card>
    );
  return (
    <Card title={texts.forgottenTitle} lead={texts.forgottenLead}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          ask.mutate();
        }}
      >
        <ProblemNotice error={ask.error} />
        {ask.isSuccess && <Notice tone="good" title={texts.forgottenSent(email)} isAlert />}
        <TextInput
          label={texts.email}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          autoComplete="username"
          required
          autoFocus
        />
        <Button type="submit" size="md" loading={ask.isPending}>
          {texts.forgottenSubmit}
        </Button>
        {back}
      </form>
    </Card>
  );
}
