import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeMe, type Operator } from '../../api/operators.ts';
import { fieldErrors } from '../../api/problem.ts';
import { refresh } from '../../api/queries.ts';
import { isLanguage, LANGUAGE_NAMES, LANGUAGES, useLanguage, useTexts } from '../../texts/texts.tsx';
import { useForm } from '../../ui/form.ts';
import { Section } from '../../ui/page.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { showDone } from '../../ui/toasts.tsx';
import styles from './me.module.css';

/** Name and language. */
export function ProfileSection({ me }: { me: Operator }) {
  const { me: texts, common, frame } = useTexts();
  const { setLanguage } = useLanguage();
  const client = useQueryClient();
  const form = useForm({ initialValues: { name: me.name ?? '', language: me.language ?? '' } });
  const save = useMutation({
    mutationFn: ({ name, language }: typeof form.values) =>
      changeMe({ name: name.trim() || null, language: isLanguage(language) ? language : null }),
    onSuccess: async ({ language }) => {
      if (isLanguage(language)) setLanguage(language);
      await refresh(client, '/operators/me');
      showDone(common.saved);
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  const languages = LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }));
  return (
    <Section title={texts.profile}>
      <form className={styles.form} onSubmit={form.onSubmit((values) => save.mutate(values))}>
        {save.isError && Object.keys(form.errors).length === 0 && <ProblemNotice error={save.error} />}
        <TextInput label={texts.name} autoComplete="name" maxLength={100} {...form.getInputProps('name')} />
        <NativeSelect
          label={frame.language}
          data={[{ value: '', label: texts.languageOfBrowser }, ...languages]}
          {...form.getInputProps('language')}
        />
        <div>
          <Button type="submit" loading={save.isPending}>
            {common.save}
          </Button>
        </div>
      </form>
    </Section>
  );
}
