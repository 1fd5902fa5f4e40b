import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { gatewayQuery } from '../../../api/operators.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { useForm } from '../../../ui/form.ts';
import { Facts, Section } from '../../../ui/page.tsx';
import { SettingsForm } from '../settings-form.tsx';
import { type Project, useEditProject } from '../use-project.ts';
import { FIELDS, readSetting, writeSetting } from './agent-sign-in-values.ts';

/** Who signs people in for agents: a page of the application, its OpenID provider, or neither. */
export function AgentSignIn({ project }: { project: Project }) {
  const { agents: texts } = useTexts().settings;
  const canEdit = useCanEdit(project.id);
  const { agentSignIn: setting } = project;
  return (
    <Section title={texts.signIn} lead={texts.signInLead}>
      {canEdit ? (
        <SignInForm project={project} />
      ) : (
        <Facts
          facts={[
            [texts.by, setting?.page ?? setting?.openid?.issuer ?? texts.none],
            [texts.registration, texts.registrationIs[setting?.dynamicRegistration ? 'on' : 'off']],
          ]}
        />
      )}
    </Section>
  );
}

function SignInForm({ project }: { readonly project: Project }) {
  const { settings, common } = useTexts();
  const { agents: texts } = settings;
  const { agentSignIn: setting } = project;
  const form = useForm({ initialValues: readSetting(setting), fields: FIELDS });
  const save = useEditProject({
    read: ({ agentSignIn }) => readSetting(agentSignIn),
    write: (values, now) => ({ agentSignIn: writeSetting(values, now.agentSignIn) }),
    form,
    done: common.saved,
  });
  return (
    <SettingsForm form={form} save={save} submit={texts.savePage}>
      <NativeSelect
        label={texts.by}
        data={[
          { value: 'none', label: texts.byNobody },
          { value: 'page', label: texts.page },
          { value: 'openid', label: texts.byOpenId },
        ]}
        {...form.getInputProps('by')}
      />
      {form.values.by === 'page' && (
        <TextInput
          label={texts.page}
          description={texts.pageHint}
          placeholder="https://app.example.com/assistants"
          inputMode="url"
          spellCheck={false}
          {...form.getInputProps('page')}
        />
      )}
      {form.values.by === 'openid' && <OpenIdFields form={form} project={project} />}
      {form.values.by !== 'none' && (
        <Checkbox
          label={texts.registration}
          description={texts.registrationHint}
          {...form.getCheckboxProps('dynamicRegistration')}
        />
      )}
    </SettingsForm>
  );
}

type FieldsProps = {
  readonly form: ReturnType<typeof useForm<ReturnType<typeof readSetting>>>;
  readonly project: Project;
};

function OpenIdFields({ form, project }: FieldsProps) {
  const { agents: texts } = useTexts().settings;
  const hasSecret = project.agentSignIn?.openid?.hasClientSecret === true;
  // The provider sends browsers to the gateway's own address, whichever the operator came by.
  const publicUrl = useQuery({ ...gatewayQuery, staleTime: 60_000 }).data?.publicUrl;
  const redirectUri = publicUrl === undefined ? '' : `${publicUrl}/agents/signed-in/${project.id}`;
  const text = { spellCheck: false, autoComplete: 'off' };
  return (
    <>
      <TextInput
        label={texts.issuer}
        description={texts.issuerHint}
        placeholder="https://login.example.com"
        inputMode="url"
        {...text}
        {...form.getInputProps('issuer')}
      />
      <TextInput
        label={texts.redirectUri}
        description={texts.redirectUriHint}
        value={redirectUri}
        readOnly
        rightSection={<CopyButton value={redirectUri} />}
      />
      <TextInput label={texts.clientId} {...text} {...form.getInputProps('clientId')} />
      <PasswordInput
        label={texts.clientSecret}
        description={hasSecret ? texts.clientSecretKept : texts.clientSecretHint}
        visibilityToggleButtonProps={{ 'aria-label': texts.showSecret }}
        autoComplete="off"
        {...form.getInputProps('clientSecret')}
      />
      <TextInput
        label={texts.userIdClaim}
        description={texts.userIdClaimHint}
        {...text}
        {...form.getInputProps('userIdClaim')}
      />
      <TextInput
        label={texts.scopes}
        description={texts.scopesHint}
        {...text}
        {...form.getInputProps('scopes')}
      />
      <TextInput
        label={texts.mandateId}
        description={texts.mandateIdHint}
        {...text}
        {...form.getInputProps('mandateId')}
      />
    </>
  );
}
