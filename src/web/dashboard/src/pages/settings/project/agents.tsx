import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, TextInput } from '@mantine/core';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { useForm } from '../../../ui/form.ts';
import { TextLink } from '../../../ui/link.tsx';
import { Facts, Section } from '../../../ui/page.tsx';
import styles from '../settings.module.css';
import { SettingsForm } from '../settings-form.tsx';
import { type Project, useEditProject } from '../use-project.ts';

/** What tokens need to be taken, and where persons approve calls of agents. */
export function Agents({ project }: { project: Project }) {
  const { project: texts } = useTexts().settings;
  const canEdit = useCanEdit(project.id);
  const { requireMandate, approvalPage } = project;
  return (
    <Section title={texts.agents} lead={texts.agentsLead}>
      {canEdit ? (
        <AgentsForm project={project} />
      ) : (
        <Facts
          facts={[
            [texts.requireMandate, texts.mandateRequired[requireMandate ? 'yes' : 'no']],
            [texts.approvalPage, approvalPage === null ? '–' : <code key="page">{approvalPage}</code>],
          ]}
        />
      )}
      <p className={styles.below}>
        <TextLink to="/p/$projectId/mandates" params={{ projectId: project.id }}>
          {texts.toMandates}
        </TextLink>
      </p>
    </Section>
  );
}

function readValues({ requireMandate, approvalPage }: Project) {
  return { requireMandate, approvalPage: approvalPage ?? '' };
}

function AgentsForm({ project }: { project: Project }) {
  const { settings, common } = useTexts();
  const { project: texts } = settings;
  const form = useForm({ initialValues: readValues(project) });
  const save = useEditProject({
    read: readValues,
    write: ({ requireMandate, approvalPage }) => ({
      requireMandate,
      approvalPage: approvalPage.trim() || null,
    }),
    form,
    done: common.saved,
  });
  return (
    <SettingsForm form={form} save={save} submit={texts.saveRights}>
      <Checkbox
        label={texts.requireMandate}
        description={texts.requireMandateHint}
        {...form.getCheckboxProps('requireMandate')}
      />
      <TextInput
        label={texts.approvalPage}
        description={texts.approvalPageHint}
        placeholder="https://app.example.com/approve"
        inputMode="url"
        spellCheck={false}
        {...form.getInputProps('approvalPage')}
      />
    </SettingsForm>
  );
}
