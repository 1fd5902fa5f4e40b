import { Button } from '@mantine/core';
import { request } from '../../../api/client.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { useForm } from '../../../ui/form.ts';
import { FormBody } from '../../../ui/form-body.tsx';
import { useSave } from '../../../ui/use-save.ts';
import { DryRunView } from './dry-run-view.tsx';
import { PollFields } from './poll-fields.tsx';
import { PATHS_OF_POLL } from './poll-parts.tsx';
import { buildBody, chooseResource, type PollValues, parseObject } from './poll-values.ts';
import { useResources } from './resources.ts';

type PollFormProps = {
  readonly options: { value: string; label: string }[];
  /** The integration that the form begins with. */
  readonly first: string;
  readonly onClose: () => void;
};

/** A new poll; a dry run shows what it would find, and creates nothing. */
export function PollForm({ options, first, onClose }: PollFormProps) {
  const { polls: texts } = useTexts().events;
  const form = useForm<PollValues>({
    initialValues: {
      integrationId: first,
      resource: '',
      custom: '',
      intervalSeconds: '300',
      parameters: {},
      backfill: false,
      scan: false,
    },
    rules: { custom: (json) => (parseObject(json) === undefined ? texts.customFault : undefined) },
    fields: { deletes: 'scan' },
  });
  const resources = useResources(form.values.integrationId);
  const { resource } = chooseResource(form.values, resources);
  const send = <R,>(isDryRun: boolean) =>
    request<R>('POST', '/polls', {
      query: { dryRun: String(isDryRun) },
      body: buildBody(form.values, resource),
    });
  const dryRun = useSave({
    send: (_tested: unknown) => send<Schema<'PollDryRun'>>(true),
    // A dry run saves nothing, so that leaving the form afterwards still asks.
    form: { ...form, markSaved: () => undefined },
  });
  const create = useSave({
    send: () => send(false),
    form,
    done: texts.created,
    onClose,
    refresh: PATHS_OF_POLL,
  });
  return (
    <FormBody
      save={create}
      onSubmit={form.onSubmit(() => create.mutate())}
      submit={texts.create}
      onCancel={onClose}
      actions={
        <Button
          variant="default"
          loading={dryRun.isPending}
          onClick={() => form.isValid() && dryRun.mutate(form.values)}
        >
          {texts.dryRun}
        </Button>
      }
    >
      <PollFields form={form} options={options} resources={resources} />
      {dryRun.data && <DryRunView result={dryRun.data} />}
    </FormBody>
  );
}
