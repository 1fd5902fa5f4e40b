import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTexts } from '../../../texts/texts.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { type Form, useForm } from '../../../ui/form.ts';
import { FormBody } from '../../../ui/form-body.tsx';
import { ALGORITHMS, type Algorithm, guessAlgorithm, isPrivateKey } from './guess-algorithm.ts';
import { type KeyFormProps, useAddKey } from './use-add-key.ts';

const MAKE_PAIR = `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out private-key.pem
openssl pkey -in private-key.pem -pubout -out public-key.pem`;

/** `alg` is empty until the operator chooses one. */
type Values = { publicKey: string; alg: Algorithm | ''; kid: string; issuer: string };

/** A pasted public key, with its algorithm recognized. A private one is refused before it is sent. */
export function PublicKeyForm({ onBack, onClose }: KeyFormProps) {
  const { settings, common } = useTexts();
  const { signingKeys: texts } = settings;
  const form = useForm<Values>({
    initialValues: { publicKey: '', alg: '', kid: '', issuer: '' },
    rules: { publicKey: (text) => (isPrivateKey(text) ? texts.isPrivate : undefined) },
  });
  const guessed = useGuess(form.values.publicKey);
  const alg = form.values.alg || guessed || 'ES256';
  const add = useAddKey({
    form,
    buildBody: ({ publicKey, kid, issuer }) => ({
      alg,
      publicKey: publicKey.trim(),
      ...(kid.trim() !== '' && { kid: kid.trim() }),
      ...(issuer.trim() !== '' && { issuer: issuer.trim() }),
    }),
    onClose,
  });
  return (
    <FormBody
      save={add}
      onSubmit={form.onSubmit(add.mutate)}
      submit={texts.save}
      onCancel={onBack}
      cancel={common.back}
    >
      <KeyField form={form} />
      <details>
        <summary className="soft small">{texts.makePair}</summary>
        <CodeBlock code={MAKE_PAIR} label={texts.makePair} />
      </details>
      <NativeSelect
        label={texts.chooseAlgorithm}
        description={guessed && texts.guessed(guessed)}
        data={[...ALGORITHMS]}
        {...form.getInputProps('alg')}
        value={alg}
      />
      <TextInput
        label={texts.kidField}
        description={texts.kidHint}
        maxLength={128}
        spellCheck={false}
        {...form.getInputProps('kid')}
      />
      <TextInput
        label={texts.issuerField}
        description={texts.issuerOptionalHint}
        spellCheck={false}
        {...form.getInputProps('issuer')}
      />
    </FormBody>
  );
}

function KeyField({ form }: { form: Form<Values> }) {
  const { signingKeys: texts } = useTexts().settings;
  const { value, error } = form.getInputProps('publicKey');
  return (
    <Textarea
      label={texts.pem}
      description={texts.pemHint}
      placeholder="-----BEGIN PUBLIC KEY-----"
      rows={6}
      required
      spellCheck={false}
      classNames={{ input: 'mono' }}
      value={value}
      error={isPrivateKey(value) ? texts.isPrivate : error}
      // What was chosen for another key is not chosen for this one.
      onChange={({ currentTarget }) => form.setValues({ publicKey: currentTarget.value, alg: '' })}
    />
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
