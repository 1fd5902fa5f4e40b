import { Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { fieldErrors } from '../../../api/problem.ts';
import { api, refresh } from '../../../api/queries.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { showDone } from '../../../ui/toasts.tsx';
import styles from '../events.module.css';
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

/** Sends part of the stream again. */
export function ReplayDialog({ destination, onClose }: { destination: Destination; onClose: () => void }) {
  const { destinations: texts } = useTexts().events;
  return (
    <Modal opened onClose={onClose} title={texts.replayTitle}>
      <ReplayForm destination={destination} onClose={onClose} />
    </Modal>
  );
}

function ReplayForm({ destination, onClose }: { destination: Destination; onClose: () => void }) {
  const { events, common } = useTexts();
  const texts = events.destinations;
  const number = useNumber();
  const client = useQueryClient();
  const from = localTime(Date.now() - HOUR_MS);
  const form = useForm<Values>({ initialValues: { start: 'time', from, to: '', after: '', which: 'all' } });
  const replay = useMutation({
    mutationFn: (values: Values) =>
      api.post('/event-destinations/{id}/replay', { path: { id: destination.id }, body: bodyOf(values) }),
    onSuccess: async ({ events: count }) => {
      showDone(texts.replayStarted(number(count)));
      onClose();
      await refresh(client, ...PATHS_OF_DESTINATION);
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  const isByTime = form.values.start === 'time';
  const options = (labels: Readonly<Record<string, string>>) =>
    Object.entries(labels).map(([value, label]) => ({ value, label }));
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => replay.mutate(values))}>
      <p className="soft">{texts.replayLead}</p>
      <ProblemNotice error={replay.error} />
      <NativeSelect
        label={texts.replayStart}
        data={options(texts.replayStarts)}
        {...form.getInputProps('start')}
      />
      {isByTime ? (
        <>
          <TextInput
            label={texts.replayFrom}
            type="datetime-local"
            required
            {...form.getInputProps('from')}
          />
          <TextInput
            label={`${texts.replayTo} (${common.optional})`}
            type="datetime-local"
            {...form.getInputProps('to')}
          />
        </>
      ) : (
        <TextInput label={texts.replayEvent} required spellCheck={false} {...form.getInputProps('after')} />
      )}
      <NativeSelect
        label={texts.replayStates}
        data={options(texts.replayChoices)}
        {...form.getInputProps('which')}
      />
      <div className={styles.formFoot}>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" loading={replay.isPending}>
          {texts.replay}
        </Button>
      </div>
    </form>
  );
}

function bodyOf({ start, from, to, after, which }: Values) {
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
function localTime(atMs: number): string {
  const offsetMs = new Date(atMs).getTimezoneOffset() * 60_000;
  return new Date(atMs - offsetMs).toISOString().slice(0, 16);
}
