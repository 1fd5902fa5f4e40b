import { NativeSelect, TextInput } from '@mantine/core';
import { api } from '../../../api/queries.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { type Form, listOptions, useForm } from '../../../ui/form.ts';
import { useSave } from '../../../ui/use-save.ts';
import { type Destination, PATHS_OF_DESTINATION, useNumber } from './destination-parts.tsx';

const STATES = {
  all: undefined,
  unhappy: ['failed', 'dead'],
  dead: ['dead'],
} as const;
const HOUR_MS = 3_600_000;

type Values = {
  start: 'time' | 'event';
  from: string;
  to: string;
  after: string;
  which: keyof typeof STATES;
};

type ReplayDialogProps = { readonly destination: Destination; readonly onClose: () => void };

/** Sends part of the stream again. */
export function ReplayDialog({ destination, onClose }: ReplayDialogProps) {
  const { destinations: texts } = useTexts().events;
  const number = useNumber();
  const from = toLocalTime(Date.now() - HOUR_MS);
  const form = useForm<Values>({
    initialValues: { start: 'time', from, to: '', after: '', which: 'all' },
    fields: { states: 'which' },
  });
  const replay = useSave({
    send: (values: Values) =>
      api.post('/event-destinations/{id}/replay', { path: { id: destination.id }, body: buildBody(values) }),
    form,
    done: ({ events: count }) => texts.replayStarted(number(count)),
    onClose,
    refresh: PATHS_OF_DESTINATION,
  });
  return (
    <DialogForm
      title={texts.replayTitle}
      onClose={onClose}
      save={replay}
      onSubmit={form.onSubmit(replay.mutate)}
      submit={texts.replay}
    >
      <p className="soft">{texts.replayLead}</p>
      <NativeSelect
        label={texts.replayStart}
        data={listOptions(texts.replayStarts)}
        {...form.getInputProps('start')}
      />
      <StartFields form={form} />
      <NativeSelect
        label={texts.replayStates}
        data={listOptions(texts.replayChoices)}
        {...form.getInputProps('which')}
      />
    </DialogForm>
  );
}

/** A stretch of time, or the event after which it begins. */
function StartFields({ form }: { form: Form<Values> }) {
  const { events, common } = useTexts();
  const texts = events.destinations;
  if (form.values.start === 'event')
    return (
      <TextInput label={texts.replayEvent} required spellCheck={false} {...form.getInputProps('after')} />
    );
  return (
    <>
      <TextInput label={texts.replayFrom} type="datetime-local" required {...form.getInputProps('from')} />
      <TextInput
        label={`${texts.replayTo} (${common.optional})`}
        type="datetime-local"
        {...form.getInputProps('to')}
      />
    </>
  );
}

function buildBody({ start, from, to, after, which }: Values) {
  const chosen = STATES[which];
  const states = chosen === undefined ? {} : { states: [...chosen] };
  if (start === 'event') return { after: after.trim(), ...states };
  return {
    from: new Date(from).toISOString(),
    ...(to !== '' && { to: new Date(to).toISOString() }),
    ...states,
  };
}

/** As `datetime-local` takes it, in the viewer's zone. */
function toLocalTime(atMs: number): string {
  const offsetMs = new Date(atMs).getTimezoneOffset() * 60_000;
  return new Date(atMs - offsetMs).toISOString().slice(0, 16);
}
