import { Button, Modal, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { fieldErrors } from '../../../api/problem.ts';
import { api, apiQuery, refresh } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import styles from '../events.module.css';

type Props = { readonly integrationId: string; readonly onClose: () => void };

/** Gives an integration, or one of its connections, a webhook address of its own, and says what to do with it. */
export function SubscribeDialog({ integrationId, onClose }: Props) {
  const { webhooks: texts } = useTexts().events;
  const client = useQueryClient();
  const subscribe = useMutation({
    mutationFn: (body: Body) =>
      api.post('/integrations/{id}/subscriptions', { path: { id: integrationId }, body }),
    onSuccess: () => refresh(client, '/integrations/{id}/subscriptions'),
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={subscribe.data ? texts.subscribed : texts.subscribeTitle}
    >
      {subscribe.data ? (
        <Subscribed made={subscribe.data} onClose={onClose} />
      ) : (
        <SubscribeForm
          integrationId={integrationId}
          onClose={onClose}
          onSubmit={(body) => subscribe.mutate(body)}
          error={subscribe.error}
          isPending={subscribe.isPending}
        />
      )}
    </Modal>
  );
}

type Body = {
  connectionId?: string;
  events?: string[];
  parameters?: Record<string, string>;
  secret?: string;
};

type FormProps = Props & {
  readonly onSubmit: (body: Body) => void;
  readonly error: unknown;
  readonly isPending: boolean;
};

function SubscribeForm({ integrationId, onClose, onSubmit, error, isPending }: FormProps) {
  const { events, common } = useTexts();
  const texts = events.webhooks;
  const form = useForm({ initialValues: { connectionId: '', events: '', parameters: '', secret: '' } });
  const connections = useConnections(integrationId);
  const submit = (values: typeof form.values) => {
    const parameters = readTexts(values.parameters);
    if (parameters === undefined) return form.setFieldError('parameters', texts.parametersFault);
    const names = values.events.split(/[\s,]+/).filter((name) => name !== '');
    onSubmit({
      ...(values.connectionId && { connectionId: values.connectionId }),
      ...(values.secret && { secret: values.secret }),
      events: names,
      parameters,
    });
  };
  const faults = fieldErrors(error);
  const optional = (label: string) => `${label} (${common.optional})`;
  return (
    <form className={styles.form} onSubmit={form.onSubmit(submit)}>
      <ProblemNotice error={error} />
      <NativeSelect
        label={texts.subscribeFor}
        data={[{ value: '', label: texts.wholeIntegration }, ...connections]}
        data-autofocus
        {...form.getInputProps('connectionId')}
        error={faults.connectionId}
      />
      <TextInput
        label={optional(texts.eventsWanted)}
        description={texts.eventsHint}
        {...form.getInputProps('events')}
      />
      <Textarea
        label={optional(texts.parameters)}
        description={texts.parametersHint}
        rows={2}
        spellCheck={false}
        {...form.getInputProps('parameters')}
      />
      <PasswordInput
        label={optional(texts.secret)}
        description={texts.secretHint}
        autoComplete="off"
        {...form.getInputProps('secret')}
      />
      <div className={styles.formFoot}>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" loading={isPending}>
          {texts.subscribe}
        </Button>
      </div>
    </form>
  );
}

function useConnections(integrationId: string) {
  const path = { projectId: useProjectId() };
  const query = { integrationId, limit: 200 };
  const found = useQuery(apiQuery('/projects/{projectId}/connections', { path, query }));
  return (found.data?.connections ?? []).map(({ id, accountName, userId }) => ({
    value: id,
    label: accountName ? `${accountName} · ${userId}` : userId,
  }));
}

/** The object of texts that the JSON is, empty for no text; undefined where it is something else. */
function readTexts(json: string): Record<string, string> | undefined {
  if (json.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
  } catch {
    return undefined;
  }
}

function Subscribed({ made, onClose }: { made: Schema<'NewWebhookSubscription'>; onClose: () => void }) {
  const { events, common } = useTexts();
  const texts = events.webhooks;
  const isManual = made.state === 'manual';
  return (
    <div className={styles.stack}>
      <Notice tone={isManual ? 'warning' : 'good'} title={texts.subscribed} isAlert>
        {isManual ? texts.subscribedText : texts.subscribedByGateway}
      </Notice>
      <div>
        <h3>{texts.url}</h3>
        <CodeBlock code={made.webhookUrl} label={texts.url} />
      </div>
      {made.secret && (
        <div>
          <h3>{texts.secretToEnter}</h3>
          <CodeBlock code={made.secret} label={texts.secretToEnter} />
        </div>
      )}
      {made.steps.length > 0 && (
        <div>
          <h3>{texts.steps}</h3>
          <ol className={styles.steps}>
            {made.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </div>
      )}
      <div className={styles.formFoot}>
        <Button onClick={onClose}>{common.close}</Button>
      </div>
    </div>
  );
}
