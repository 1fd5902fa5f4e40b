import { TextInput } from '@mantine/core';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { useForm } from '../../../ui/form.ts';
import { IdChip } from '../../../ui/id-chip.tsx';
import { Facts, Section } from '../../../ui/page.tsx';
import { Time } from '../../../ui/time.tsx';
import styles from '../settings.module.css';
import { SettingsForm } from '../settings-form.tsx';
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
  const form = useForm({
    initialValues: { name: project.name, limit: String(project.limits.proxyCallsPerMinute ?? '') },
    rules: { limit: (text) => (isLimit(text) ? undefined : texts.limitInvalid) },
    fields: { 'limits.proxyCallsPerMinute': 'limit' },
  });
  const save = useChangeProject({
    change: ({ name, limit }: typeof form.values) => ({
      name,
      limits: limit.trim() === '' ? {} : { proxyCallsPerMinute: Number(limit) },
    }),
    form,
    done: common.saved,
  });
  return (
    <SettingsForm form={form} save={save} submit={common.save}>
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
    </SettingsForm>
  );
}

function isLimit(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed === '') return true;
  return /^[1-9]\d*$/.test(trimmed) && Number(trimmed) <= LIMIT_MAX;
}
