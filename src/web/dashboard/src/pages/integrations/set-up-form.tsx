import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { Provider } from '../../api/catalog.ts';
import { api } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { FindingList } from '../../ui/finding-list.tsx';
import type { Form } from '../../ui/form.ts';
import { FormBody } from '../../ui/form-body.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { useSave } from '../../ui/use-save.ts';
import { AdvancedFields } from './advanced-fields.tsx';
import {
  bringsClient,
  buildBody,
  emptyValues,
  type FormValues,
  filledVariables,
  hasClient,
  usesScopes,
} from './form-values.ts';
import styles from './integrations.module.css';
import type { Pasted } from './parse-pasted.ts';
import { PasteBox } from './paste-box.tsx';
import { ScopeFields } from './scope-fields.tsx';
import { useIntegrationForm } from './use-integration-form.ts';
import { SharedVariableFields, VariableFields } from './variable-fields.tsx';

type SetUpFormProps = {
  readonly projectId: string;
  /** As it is for the grant. */
  readonly provider: Provider;
  readonly grant: string | null;
};

/** The form of a new integration: fill in or paste, test, create. */
export function SetUpForm({ projectId, provider, grant }: SetUpFormProps) {
  const { setUp: texts } = useTexts().integrations;
  const navigate = useNavigate();
  const form = useIntegrationForm(emptyValues(provider));
  const create = useSave({
    send: (values: FormValues) =>
      api.post('/integrations', {
        body: {
          projectId,
          serviceProvider: provider.id,
          ...(grant !== null && { grant }),
          ...buildBody(values, provider),
        },
      }),
    form,
    onDone: ({ id }) =>
      navigate({
        to: '/p/$projectId/integrations/$integrationId',
        params: { projectId, integrationId: id },
        search: { created: '1' },
      }),
    refresh: ['/integrations', '/projects/{projectId}/integration-states'],
  });
  const canProbe = hasClient(provider) && provider.auth !== 'github-app' && provider.mcp === null;
  return (
    <FormBody save={create} onSubmit={form.onSubmit(create.mutate)} submit={texts.create}>
      <ClientPart provider={provider} form={form} />
      <VariableFields provider={provider} form={form} />
      {usesScopes(provider) && <ScopeFields provider={provider} form={form} />}
      <SharedVariableFields provider={provider} form={form} />
      <AdvancedFields provider={provider} form={form} />
      {canProbe && <Probe projectId={projectId} provider={provider} grant={grant} values={form.values} />}
    </FormBody>
  );
}

type PartProps = { readonly provider: Provider; readonly form: Form<FormValues> };

/** The client that is registered at the provider, or why none is asked for. */
function ClientPart({ provider, form }: PartProps) {
  const { setUp: texts } = useTexts().integrations;
  if (!hasClient(provider))
    return (
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
    );
  if (!bringsClient(provider)) return <ClientFields provider={provider} form={form} />;
  return (
    <>
      <Notice tone="info" title={texts.bringsClientTitle}>
        {texts.bringsClientText(provider.name)}
      </Notice>
      <details className={styles.details}>
        <summary>{texts.ownClient}</summary>
        <ClientFields provider={provider} form={form} />
      </details>
    </>
  );
}

function ClientFields({ provider, form }: PartProps) {
  const texts = useTexts().integrations.setUp;
  const fill = ({ clientId, clientSecret, webhookSecret, scopes, optionalScopes, variables }: Pasted) =>
    form.setValues({
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret !== undefined && { clientSecret }),
      ...(webhookSecret !== undefined && { webhookSecret }),
      ...(scopes !== undefined && { scopes: [...scopes] }),
      ...(optionalScopes !== undefined && { optionalScopes: [...optionalScopes] }),
      ...(variables !== undefined && { variables: { ...form.values.variables, ...variables } }),
    });
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

type ProbeProps = SetUpFormProps & { readonly values: FormValues };

function Probe({ projectId, provider, grant, values }: ProbeProps) {
  const texts = useTexts().integrations.setUp;
  const clientId = values.clientId.trim();
  const clientSecret = values.clientSecret.trim();
  const probe = useSave({
    send: (_tested: unknown) =>
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
  // There is nothing to test yet.
  if (clientId === '') return null;
  return (
    <div className={styles.probe}>
      <Button variant="default" onClick={() => probe.mutate(values)} loading={probe.isPending}>
        {texts.test}
      </Button>
      <div aria-live="polite">
        {probe.isPending && <p className="soft small">{texts.testing(provider.name)}</p>}
        {probe.data && !probe.isPending && <FindingList findings={probe.data.findings} />}
      </div>
      <ProblemNotice error={probe.problem} />
    </div>
  );
}
