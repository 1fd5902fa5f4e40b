import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Provider } from '../../api/catalog.ts';
import type { Tagged } from '../../api/client.ts';
import { fieldErrors, statusOf } from '../../api/problem.ts';
import { api, refresh } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { SideDrawer } from '../../ui/side-drawer.tsx';
import { showDone } from '../../ui/toasts.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import {
  bodyOf,
  bringsClient,
  type FormValues,
  hasClient,
  type Integration,
  readParameters,
  valuesOf,
} from './form-values.ts';
import { integrationQuery, PATHS_OF_INTEGRATION } from './integration-queries.ts';
import styles from './integrations.module.css';
import { ScopePicker } from './scope-picker.tsx';
import { scopeFault } from './set-up-form.tsx';
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
  const form = useForm<FormValues>({ initialValues: valuesOf(integration, provider) });
  const save = useMutation({
    mutationFn: (values: FormValues) =>
      api.patch('/integrations/{id}', {
        path: { id: integration.id },
        body: bodyOf(values, provider),
        ...(base.etag !== null && { header: { 'If-Match': base.etag } }),
      }),
    onSuccess: async () => {
      showDone(common.saved);
      onClose();
      await refresh(client, ...PATHS_OF_INTEGRATION);
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  const loadAgain = useMutation({
    mutationFn: () => client.fetchQuery({ ...integrationQuery(integration.id), staleTime: 0 }),
    onSuccess: onLoadAgain,
  });
  const isOAuth = hasClient(provider);
  return (
    <form
      className={styles.form}
      // Loading again replaces the fields: what the operator changed in them until then would be lost unseen.
      inert={loadAgain.isPending}
      onSubmit={form.onSubmit((values) => {
        const isReadable = readParameters(values.parameters) !== undefined;
        if (isReadable) save.mutate(values);
        else form.setFieldError('parameters', texts.setUp.parametersFault);
      })}
    >
      {isOAuth && (
        <TextInput
          label={texts.setUp.clientId}
          description={texts.detail.keepSecretHint}
          required={provider.auth === 'oauth2' && !bringsClient(provider)}
          spellCheck={false}
          {...form.getInputProps('clientId')}
        />
      )}
      <VariableFields provider={provider} form={form} keepsSecrets />
      {isOAuth && (
        <ScopePicker
          provider={provider}
          value={form.values}
          onChange={form.setValues}
          error={scopeFault(form.errors)}
        />
      )}
      {isOAuth && <p className="soft small">{texts.detail.scopesChangeNote}</p>}
      <SharedVariableFields provider={provider} form={form} keepsSecrets />
      <AdvancedFields provider={provider} form={form} hasSecrets={false} />
      {statusOf(save.error) === 412 ? (
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
      ) : (
        <ProblemNotice error={save.error} />
      )}
      <div className={styles.dialogActions}>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" loading={save.isPending}>
          {common.save}
        </Button>
      </div>
    </form>
  );
}
