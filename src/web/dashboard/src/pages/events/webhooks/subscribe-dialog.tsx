import { Button, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, apiQuery } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Dialog, DialogFoot } from '../../../ui/dialog.tsx';
import { type Form, useForm } from '../../../ui/form.ts';
import { FormBody } from '../../../ui/form-body.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useSave } from '../../../ui/use-save.ts';
import { useShownOnce } from '../../../ui/use-shown-once.ts';
import styles from '../events.module.css';

type NewSubscription = Schema<'NewWebhookSubscription'>;
type Props = { readonly integrationId: string; readonly onClose: () => void };

/** Gives an integration, or one of its connections, a webhook address of its own, and says what to do with it. */
export function SubscribeDialog({ integrationId, onClose }: Props) {
  const { webhooks: texts } = useTexts().events;
  const [made, setMade] = useState<NewSubscription>();
  return (
    <Dialog onClose={onClose} size="lg" title={made ? texts.subscribed : texts.subscribeTitle}>
      {made ? (
        <Subscribed made={made} onClose={onClose} />
      ) : (
        <SubscribeForm integrationId={integrationId} onClose={onClose} onMade={setMade} />
      )}
    </Dialog>
  );
}

type Values = { connectionId: string; events: string; parameters: string; secret: string };

function buildBody({ connectionId, secret, events, parameters }: Values) {
  return {
    ...(connectionId && { connectionId }),
    ...(secret && { secret }),
    events: events.split(/[\s,]+/).filter((name) => name !== ''),
    parameters: readTexts(parameters) ?? {},
  };
}

type FormProps = Props & { readonly onMade: (made: NewSubscription) => void };

function SubscribeForm({ integrationId, onClose, onMade }: FormProps) {
  const { webhooks: texts } = useTexts().events;
  const form = useForm<Values>({
    initialValues: { connectionId: '', events: '', parameters: '', secret: '' },
    rules: { parameters: (json) => (readTexts(json) === undefined ? texts.parametersFault : undefined) },
  });
  const subscribe = useSave({
    send: (values: Values) =>
      api.post('/integrations/{id}/subscriptions', { path: { id: integrationId }, body: buildBody(values) }),
    form,
    isSecret: true,
    onDone: onMade,
    refresh: ['/integrations/{id}/subscriptions'],
  });
  return (
    <FormBody
      save={subscribe}
      onSubmit={form.onSubmit(subscribe.mutate)}
      submit={texts.subscribe}
      onCancel={onClose}
    >
      <SubscribeFields form={form} integrationId={integrationId} />
    </FormBody>
  );
}

function SubscribeFields({ form, integrationId }: { form: Form<Values>; integrationId: string }) {
  const { events, common } = useTexts();
  const texts = events.webhooks;
  const connections = useConnections(integrationId);
  const optional = (label: string) => `${label} (${common.optional})`;
  return (
    <>
      <NativeSelect
        label={texts.subscribeFor}
        data={[{ value: '', label: texts.wholeIntegration }, ...connections]}
        data-autofocus
        {...form.getInputProps('connectionId')}
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
    </>
  );
}

function useConnections(integrationId: string) {
  const path = { projectId: useProjectId() };
  const query = { integrationId, limit: 200 };
  const found = useQuery(apiQuery('/projects/{projectId}/connections', { path, query }));
  return (found.data?.connections ?? []).map(({ id, accountName, owner }) => ({
    value: id,
    label: accountName ? `${accountName} · ${owner.id}` : owner.id,
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

function Subscribed({ made, onClose }: { made: NewSubscription; onClose: () => void }) {
  const { events, common } = useTexts();
  const texts = events.webhooks;
  const isManual = made.state === 'manual';
  useShownOnce(made.secret !== undefined && made.secret !== null);
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
      <DialogFoot>
        <Button onClick={onClose}>{common.close}</Button>
      </DialogFoot>
    </div>
  );
}
