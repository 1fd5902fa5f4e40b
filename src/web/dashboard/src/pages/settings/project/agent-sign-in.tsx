import { TextInput } from '@mantine/core';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { useForm } from '../../../ui/form.ts';
import { Facts, Section } from '../../../ui/page.tsx';
import { SettingsForm } from '../settings-form.tsx';
import { type Project, useChangeProject } from '../use-project.ts';

/** The page of the application that signs people in for agents; empty: they cannot sign in. */
export function AgentSignIn({ project }: { project: Project }) {
  const { agents: texts } = useTexts().settings;
  const canEdit = useCanEdit(project.id);
  return (
    <Section title={texts.signIn} lead={texts.signInLead}>
      {canEdit ? (
        <PageForm page={project.agentSignIn?.page ?? ''} />
      ) : (
        <Facts facts={[[texts.page, project.agentSignIn?.page ?? texts.none]]} />
      )}
    </Section>
  );
}

function PageForm({ page }: { readonly page: string }) {
  const { settings, common } = useTexts();
  const { agents: texts } = settings;
  const form = useForm({
    initialValues: { page },
    fields: { agentSignIn: 'page', 'agentSignIn.page': 'page' },
  });
  const save = useChangeProject({
    change: (values: typeof form.values) => ({
      agentSignIn: values.page.trim() === '' ? null : { page: values.page.trim() },
    }),
    form,
    done: common.saved,
  });
  return (
    <SettingsForm form={form} save={save} submit={texts.savePage}>
      <TextInput
        label={texts.page}
        description={texts.pageHint}
        placeholder="https://app.example.com/assistants"
        inputMode="url"
        spellCheck={false}
        {...form.getInputProps('page')}
      />
    </SettingsForm>
  );
}
