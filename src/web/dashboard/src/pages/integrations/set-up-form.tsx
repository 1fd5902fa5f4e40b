import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Provider } from '../../api/catalog.ts';
import { fieldErrors } from '../../api/problem.ts';
import { api, refresh } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { FindingList } from '../../ui/finding-list.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import {
  bodyOf,
  bringsClient,
  emptyValues,
  type FormValues,
  filledVariables,
  hasClient,
  readParameters,
  usesScopes,
} from './form-values.ts';
import styles from './integrations.module.css';
import type { Pasted } from './parse-pasted.ts';
import { PasteBox } from './paste-box.tsx';
import { ScopePicker } from './scope-picker.tsx';
import { SharedVariableFields, VariableFields } from './variable-fields.tsx';

type SetUpFormProps = {
  readonly projectId: string;
  /** As it is for the grant. */
  readonly provider: Provider;
  readonly grant: string | null;
};

/** The form of a new integration: fill in or paste, test, create. */
export function SetUpForm({ projectId, provider, grant }: SetUpFormProps) {
  const texts = useTexts().integrations.setUp;
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm<FormValues>({ initialValues: emptyValues(provider) });
  const create = useMutation({
    mutationFn: (values: FormValues) =>
      api.post('/integrations', {
        body: {
          projectId,
          serviceProvider: provider.id,
          ...(grant !== null && { grant }),
          ...bodyOf(values, provider),
        },
      }),
    onSuccess: async ({ id }) => {
      await refresh(client, '/integrations', '/projects/{projectId}/integration-states');
      await navigate({
        to: '/p/$projectId/integrations/$integrationId',
        params: { projectId, integrationId: id },
        search: { created: '1' },
      });
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  const isOAuth = hasClient(provider);
  return (
    <form
      className={styles.form}
      onSubmit={form.onSubmit((values) => {
        if (readParameters(values.parameters) === undefined)
          form.setFieldError('parameters', texts.parametersFault);
        else create.mutate(values);
      })}
    >
      {isOAuth && bringsClient(provider) && (
        <>
          <Notice tone="info" title={texts.bringsClientTitle}>
            {texts.bringsClientText(provider.name)}
          </Notice>
          <details className={styles.details}>
            <summary>{texts.ownClient}</summary>
            <ClientFields provider={provider} form={form} />
          </details>
        </>
      )}
      {isOAuth && !bringsClient(provider) && <ClientFields provider={provider} form={form} />}
      {!isOAuth && (
        <Notice
          tone="info"
          title={texts.noClientTitle}
          foot={
            provider.credentialHint && (
              <span>
                {texts.credentialHint}: {provider.credentialHint}
              </span>
            )
          }
        >
          {texts.noClientText(provider.name)}
        </Notice>
      )}
      <VariableFields provider={provider} form={form} />
      {usesScopes(provider) && (
        <ScopePicker
          provider={provider}
          value={form.values}
          onChange={form.setValues}
          error={scopeFault(form.errors)}
        />
      )}
      <SharedVariableFields provider={provider} form={form} />
      <AdvancedFields provider={provider} form={form} />
      {isOAuth && provider.auth !== 'github-app' && provider.mcp === null && (
        <Probe projectId={projectId} provider={provider} grant={grant} values={form.values} />
      )}
      {create.isError && <ProblemNotice error={create.error} />}
      <Button type="submit" loading={create.isPending} className={styles.submit}>
        {texts.create}
      </Button>
    </form>
  );
}

type Form = UseFormReturnType<FormValues>;

function ClientFields({ provider, form }: { provider: Provider; form: Form }) {
  const texts = useTexts().integrations.setUp;
  const fill = ({ clientId, clientSecret, webhookSecret, scopes, optionalScopes, variables }: Pasted) =>
    form.setValues((before) => ({
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret !== undefined && { clientSecret }),
      ...(webhookSecret !== undefined && { webhookSecret }),
      ...(scopes !== undefined && { scopes: [...scopes] }),
      ...(optionalScopes !== undefined && { optionalScopes: [...optionalScopes] }),
      ...(variables !== undefined && { variables: { ...before.variables, ...variables } }),
    }));
  return (
    <>
      <PasteBox provider={provider} onFill={fill} />
      <TextInput
        label={texts.clientId}
        required={provider.auth === 'oauth2' && !bringsClient(provider)}
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps('clientId')}
      />
      <PasswordInput
        label={texts.clientSecret}
        description={texts.secretHint}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': texts.showSecret }}
        {...form.getInputProps('clientSecret')}
      />
    </>
  );
}

/** The message of a fault in any of the scopes. */
export function scopeFault(errors: Readonly<Record<string, unknown>>): string | undefined {
  const found = Object.entries(errors).find(([path]) => /^(?:optionalS|s)copes(?:\.|$)/.test(path));
  return found === undefined ? undefined : String(found[1]);
}

type ProbeProps = SetUpFormProps & { readonly values: FormValues };

function Probe({ projectId, provider, grant, values }: ProbeProps) {
  const texts = useTexts().integrations.setUp;
  const clientId = values.clientId.trim();
  const clientSecret = values.clientSecret.trim();
  const probe = useMutation({
    mutationFn: () =>
      api.post('/integrations/probe', {
        body: {
          projectId,
          serviceProvider: provider.id,
          ...(grant !== null && { grant }),
          ...(clientId !== '' && { clientId }),
          ...(clientSecret !== '' && { clientSecret }),
          variables: filledVariables(values.variables),
        },
      }),
  });
  return (
    <div className={styles.probe}>
      <Button
        variant="default"
        onClick={() => probe.mutate()}
        loading={probe.isPending}
        disabled={clientId === ''}
      >
        {texts.test}
      </Button>
      <div aria-live="polite">
        {probe.isPending && <p className="soft small">{texts.testing(provider.name)}</p>}
        {probe.data && !probe.isPending && <FindingList findings={probe.data.findings} />}
      </div>
      {probe.isError && <ProblemNotice error={probe.error} />}
    </div>
  );
}
