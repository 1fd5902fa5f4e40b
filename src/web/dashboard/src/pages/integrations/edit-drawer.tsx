import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Provider } from '../../api/catalog.ts';
import type { Tagged } from '../../api/client.ts';
import { findStatus } from '../../api/problem.ts';
import { api } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import type { Form } from '../../ui/form.ts';
import { FormBody } from '../../ui/form-body.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import { useSave } from '../../ui/use-save.ts';
import { AdvancedFields } from './advanced-fields.tsx';
import { FaceFields } from './face-fields.tsx';
import {
  bringsClient,
  buildChange,
  type FormValues,
  hasClient,
  type Integration,
  readValues,
} from './form-values.ts';
import { integrationQuery, PATHS_OF_INTEGRATION } from './integration-queries.ts';
import { ScopeFields } from './scope-fields.tsx';
import { useIntegrationForm } from './use-integration-form.ts';
import { SharedVariableFields, VariableFields } from './variable-fields.tsx';

type EditDrawerProps = {
  readonly tagged: Tagged<Integration>;
  readonly provider: Provider;
  readonly onClose: () => void;
};

/** Client id, scopes, variables and settings of an integration. A change made meanwhile by another is not overwritten. */
export function EditDrawer({ tagged, provider, onClose }: EditDrawerProps) {
  const { integrations } = useTexts();
  const texts = integrations.detail;
  // What the form was filled with: a reload in the background must not change what the operator is editing.
  const [base, setBase] = useState(tagged);
  return (
    <SideDrawer title={texts.editTitle(provider.name)} onClose={onClose}>
      <EditForm key={base.etag} base={base} provider={provider} onClose={onClose} onLoadAgain={setBase} />
    </SideDrawer>
  );
}

type EditFormProps = {
  readonly base: Tagged<Integration>;
  readonly provider: Provider;
  readonly onClose: () => void;
  readonly onLoadAgain: (tagged: Tagged<Integration>) => void;
};

function EditForm({ base, provider, onClose, onLoadAgain }: EditFormProps) {
  const { common, integrations: texts } = useTexts();
  const client = useQueryClient();
  const integration = base.value;
  const form = useIntegrationForm(readValues(integration, provider));
  const save = useSave({
    send: (values: FormValues) =>
      api.patch('/integrations/{id}', {
        path: { id: integration.id },
        body: buildChange(values, provider, integration),
        ...(base.etag !== null && { header: { 'If-Match': base.etag } }),
      }),
    form,
    done: common.saved,
    onClose,
    refresh: PATHS_OF_INTEGRATION,
  });
  const loadAgain = useMutation({
    mutationFn: () => client.fetchQuery({ ...integrationQuery(integration.id), staleTime: 0 }),
    onSuccess: onLoadAgain,
  });
  const conflict = (
    <Notice
      tone="warning"
      title={texts.detail.conflictTitle}
      isAlert
      foot={
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => loadAgain.mutate()}
          loading={loadAgain.isPending}
        >
          {texts.detail.loadAgain}
        </Button>
      }
    >
      {texts.detail.conflictText}
    </Notice>
  );
  return (
    <FormBody
      save={save}
      onSubmit={form.onSubmit(save.mutate)}
      submit={common.save}
      onCancel={onClose}
      notice={findStatus(save.error) === 412 ? conflict : undefined}
      // Loading again replaces the fields: what the operator changed in them until then would be lost unseen.
      inert={loadAgain.isPending}
    >
      <EditFields integration={integration} provider={provider} form={form} />
    </FormBody>
  );
}

type EditFieldsProps = {
  readonly integration: Integration;
  readonly provider: Provider;
  readonly form: Form<FormValues>;
};

function EditFields({ integration, provider, form }: EditFieldsProps) {
  const { detail, setUp } = useTexts().integrations;
  const isOAuth = hasClient(provider);
  return (
    <>
      {isOAuth && (
        <TextInput
          label={setUp.clientId}
          description={detail.keepSecretHint}
          required={provider.auth === 'oauth2' && !bringsClient(provider)}
          spellCheck={false}
          {...form.getInputProps('clientId')}
        />
      )}
      <VariableFields provider={provider} form={form} keepsSecrets />
      {isOAuth && <ScopeFields provider={provider} form={form} />}
      {isOAuth && <p className="soft small">{detail.scopesChangeNote}</p>}
      <SharedVariableFields provider={provider} form={form} keepsSecrets />
      <FaceFields integration={integration} provider={provider} form={form} />
      <AdvancedFields provider={provider} form={form} hasSecrets={false} />
    </>
  );
}
