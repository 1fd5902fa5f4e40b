import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { fieldErrors } from '../../../api/problem.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import styles from '../settings.module.css';
import { ALGORITHMS, type Algorithm, guessAlgorithm, isAlgorithm, isPrivateKey } from './guess-algorithm.ts';
import { FormFoot, type KeyFormProps } from './key-form.tsx';

const MAKE_PAIR = `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out private-key.pem
openssl pkey -in private-key.pem -pubout -out public-key.pem`;

/** A pasted public key, with its algorithm recognized. A private one is refused before it is sent. */
export function PublicKeyForm({ onBack, onSubmit, isPending, error }: KeyFormProps) {
  const { signingKeys: texts } = useTexts().settings;
  const form = useForm<{ publicKey: string; alg: Algorithm; kid: string; issuer: string }>({
    initialValues: { publicKey: '', alg: 'ES256', kid: '', issuer: '' },
    validate: { publicKey: (text) => (isPrivateKey(text) ? texts.isPrivate : null) },
  });
  const faults = fieldErrors(error);
  const guessed = useGuess(form.values.publicKey);
  const { setFieldValue } = form;
  useEffect(() => {
    if (guessed !== undefined) setFieldValue('alg', guessed);
  }, [guessed, setFieldValue]);
  const isPrivate = isPrivateKey(form.values.publicKey);
  return (
    <form
      className={styles.dialogForm}
      onSubmit={form.onSubmit(({ publicKey, alg, kid, issuer }) =>
        onSubmit({
          alg,
          publicKey: publicKey.trim(),
          ...(kid.trim() !== '' && { kid: kid.trim() }),
          ...(issuer.trim() !== '' && { issuer: issuer.trim() }),
        }),
      )}
    >
      {error && Object.keys(faults).length === 0 && <ProblemNotice error={error} />}
      <Textarea
        label={texts.pem}
        description={texts.pemHint}
        placeholder="-----BEGIN PUBLIC KEY-----"
        rows={6}
        required
        spellCheck={false}
        classNames={{ input: 'mono' }}
        {...form.getInputProps('publicKey')}
        error={isPrivate ? texts.isPrivate : (form.errors.publicKey ?? faults.publicKey)}
      />
      <details>
        <summary className="soft small">{texts.makePair}</summary>
        <CodeBlock code={MAKE_PAIR} label={texts.makePair} />
      </details>
      <NativeSelect
        label={texts.chooseAlgorithm}
        description={guessed && texts.guessed(guessed)}
        data={[...ALGORITHMS]}
        value={form.values.alg}
        onChange={({ currentTarget }) =>
          isAlgorithm(currentTarget.value) && form.setFieldValue('alg', currentTarget.value)
        }
      />
      <TextInput
        label={texts.kidField}
        description={texts.kidHint}
        maxLength={128}
        spellCheck={false}
        {...form.getInputProps('kid')}
        error={faults.kid}
      />
      <TextInput
        label={texts.issuerField}
        description={texts.issuerOptionalHint}
        spellCheck={false}
        {...form.getInputProps('issuer')}
        error={faults.issuer}
      />
      <FormFoot onBack={onBack} isPending={isPending} />
    </form>
  );
}

function useGuess(text: string): Algorithm | undefined {
  const [guessed, setGuessed] = useState<Algorithm>();
  useEffect(() => {
    let isCurrent = true;
    void guessAlgorithm(text).then((found) => isCurrent && setGuessed(found));
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return guessed;
}
