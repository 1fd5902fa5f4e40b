import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldErrors } from '../../../api/problem.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { IdChip } from '../../../ui/id-chip.tsx';
import { Facts, Section } from '../../../ui/page.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { Time } from '../../../ui/time.tsx';
import { showDone } from '../../../ui/toasts.tsx';
import styles from '../settings.module.css';
import { type Project, useChangeProject } from '../use-project.ts';

const LIMIT_MAX = 1_000_000;

/** Name and limit of the project, with the facts that never change. */
export function General({ project }: { project: Project }) {
  const { settings } = useTexts();
  const { project: texts } = settings;
  const canEdit = useCanEdit(project.id);
  const limit = project.limits.proxyCallsPerMinute;
  return (
    <Section title={texts.general}>
      {canEdit ? (
        <GeneralForm project={project} />
      ) : (
        <Facts
          facts={[
            [texts.name, project.name],
            [texts.limit, limit ?? texts.limitDefault],
          ]}
        />
      )}
      <div className={styles.below}>
        <Facts
          facts={[
            [texts.id, <IdChip key="id" id={project.id} />],
            [texts.created, <Time key="created" at={project.createdAt} />],
          ]}
        />
      </div>
    </Section>
  );
}

function GeneralForm({ project }: { project: Project }) {
  const { settings, common } = useTexts();
  const { project: texts } = settings;
  const change = useChangeProject();
  const form = useForm({
    initialValues: { name: project.name, limit: String(project.limits.proxyCallsPerMinute ?? '') },
    validate: { limit: (text) => (isLimit(text) ? null : texts.limitInvalid) },
  });
  const save = (values: typeof form.values) => {
    const limits = values.limit.trim() === '' ? {} : { proxyCallsPerMinute: Number(values.limit) };
    change.mutate(() => ({ name: values.name, limits }), {
      onSuccess: () => showDone(common.saved),
      onError: (error) => form.setErrors(fieldErrors(error)),
    });
  };
  return (
    <form className={styles.form} onSubmit={form.onSubmit(save)}>
      {change.isError && Object.keys(form.errors).length === 0 && <ProblemNotice error={change.error} />}
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        required
        maxLength={100}
        {...form.getInputProps('name')}
      />
      <TextInput
        label={texts.limit}
        description={texts.limitHint}
        placeholder={texts.limitDefault}
        inputMode="numeric"
        maw="16rem"
        {...form.getInputProps('limit')}
      />
      <div className={styles.formFoot}>
        <Button type="submit" loading={change.isPending} disabled={!form.isDirty()}>
          {common.save}
        </Button>
      </div>
    </form>
  );
}

function isLimit(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed === '') return true;
  return /^[1-9]\d*$/.test(trimmed) && Number(trimmed) <= LIMIT_MAX;
}
