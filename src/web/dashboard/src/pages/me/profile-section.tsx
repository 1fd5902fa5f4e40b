import { NativeSelect, TextInput } from '@mantine/core';
import type { Operator } from '../../api/operators.ts';
import { isLanguage, LANGUAGE_NAMES, LANGUAGES, useLanguage, useTexts } from '../../texts/texts.tsx';
import { useForm } from '../../ui/form.ts';
import { FormBody } from '../../ui/form-body.tsx';
import { Section } from '../../ui/page.tsx';
import { sendEdit } from '../../ui/send-edit.ts';
import { useSave } from '../../ui/use-save.ts';
import styles from './me.module.css';

function readValues({ name, language }: Operator) {
  return { name: name ?? '', language: language ?? '' };
}

function writeValues({ name, language }: ReturnType<typeof readValues>) {
  return { name: name.trim() || null, language: isLanguage(language) ? language : null };
}

/** Name and language. */
export function ProfileSection({ me }: { me: Operator }) {
  const { me: texts, common, frame } = useTexts();
  const { setLanguage } = useLanguage();
  const form = useForm({ initialValues: readValues(me) });
  const save = useSave({
    send: (values: typeof form.values) =>
      sendEdit({ template: '/operators/me', path: {}, form, values, read: readValues, write: writeValues }),
    form,
    done: common.saved,
    onDone: ({ language }) => isLanguage(language) && setLanguage(language),
    refresh: ['/operators/me'],
  });
  const languages = LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }));
  return (
    <Section title={texts.profile}>
      <FormBody
        save={save}
        onSubmit={form.onSubmit(save.mutate)}
        submit={common.save}
        className={styles.form}
      >
        <TextInput label={texts.name} autoComplete="name" maxLength={100} {...form.getInputProps('name')} />
        <NativeSelect
          label={frame.language}
          data={[{ value: '', label: texts.languageOfBrowser }, ...languages]}
          {...form.getInputProps('language')}
        />
      </FormBody>
    </Section>
  );
}
