import { TextInput } from '@mantine/core';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { useForm } from '../../../ui/form.ts';
import { IdChip } from '../../../ui/id-chip.tsx';
import { Facts, Section } from '../../../ui/page.tsx';
import { Time } from '../../../ui/time.tsx';
import { LIMIT_MAX, QUOTA_MAX, useFaultOfAmount } from '../amounts.ts';
import styles from '../settings.module.css';
import { SettingsForm } from '../settings-form.tsx';
import { type Project, useEditProject } from '../use-project.ts';

/** Name and limits of the project, with the facts that never change. */
export function General({ project }: { project: Project }) {
  const { settings } = useTexts();
  const { project: texts } = settings;
  const canEdit = useCanEdit(project.id);
  const { proxyCallsPerMinute, organizationCallsPerDay } = project.limits;
  return (
    <Section title={texts.general}>
      {canEdit ? (
        <GeneralForm project={project} />
      ) : (
        <Facts
          facts={[
            [texts.name, project.name],
            [texts.limit, proxyCallsPerMinute ?? texts.limitDefault],
            [texts.quota, organizationCallsPerDay ?? texts.quotaNone],
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

function readValues({ name, limits }: Project) {
  const { proxyCallsPerMinute, organizationCallsPerDay } = limits;
  return { name, limit: String(proxyCallsPerMinute ?? ''), quota: String(organizationCallsPerDay ?? '') };
}

/** The API replaces the limits as a whole: one that this form does not know would be taken away. */
function writeValues({ name, limit, quota }: ReturnType<typeof readValues>, { limits }: Project) {
  const { proxyCallsPerMinute, organizationCallsPerDay, ...otherLimits } = limits;
  return {
    name,
    limits: {
      ...otherLimits,
      ...(limit.trim() !== '' && { proxyCallsPerMinute: Number(limit) }),
      ...(quota.trim() !== '' && { organizationCallsPerDay: Number(quota) }),
    },
  };
}

function GeneralForm({ project }: { project: Project }) {
  const { settings, common } = useTexts();
  const { project: texts } = settings;
  const faultOfAmount = useFaultOfAmount();
  const form = useForm({
    initialValues: readValues(project),
    rules: {
      limit: (text) => faultOfAmount(text, LIMIT_MAX),
      quota: (text) => faultOfAmount(text, QUOTA_MAX),
    },
    fields: { 'limits.proxyCallsPerMinute': 'limit', 'limits.organizationCallsPerDay': 'quota' },
  });
  const save = useEditProject({
    read: readValues,
    write: writeValues,
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
        {...form.getInputProps('limit')}
      />
      <TextInput
        label={texts.quota}
        description={texts.quotaHint}
        placeholder={texts.quotaNone}
        inputMode="numeric"
        {...form.getInputProps('quota')}
      />
    </SettingsForm>
  );
}
