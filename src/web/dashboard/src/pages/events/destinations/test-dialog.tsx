import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import type { Texts } from '../../../texts/area-texts.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { Dialog, DialogFoot } from '../../../ui/dialog.tsx';
import { Bars } from '../../../ui/loaded.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { formatDuration } from '../../../ui/time.tsx';
import styles from '../events.module.css';
import { type Destination, useErrorWords } from './destination-parts.tsx';

type TestDialogProps = { readonly destination: Destination; readonly onClose: () => void };

/** Sends a test event at once and shows what came back. */
export function TestDialog({ destination, onClose }: TestDialogProps) {
  const { events, common } = useTexts();
  const test = useMutation({
    mutationFn: () => api.post('/event-destinations/{id}/test', { path: { id: destination.id } }),
  });
  const { mutate } = test;
  useEffect(() => mutate(), [mutate]);
  return (
    <Dialog onClose={onClose} title={events.destinations.test} size="lg">
      <p className="soft mono">{destination.url}</p>
      <div className="block" aria-live="polite">
        {test.isPending && <Bars rows={3} />}
        <ProblemNotice error={test.error} />
        {test.data && <TestResult result={test.data} />}
      </div>
      <DialogFoot>
        <Button variant="default" loading={test.isPending} onClick={() => mutate()}>
          {common.retry}
        </Button>
        <Button onClick={onClose}>{common.close}</Button>
      </DialogFoot>
    </Dialog>
  );
}

function TestResult({ result }: { result: Schema<'EventDestinationTest'> }) {
  const { destinations: texts } = useTexts().events;
  const { language } = useLanguage();
  const words = useErrorWords();
  const { delivered, status, durationMs, error, code, answer } = result;
  return (
    <>
      <Notice
        tone={delivered ? 'good' : 'bad'}
        title={
          delivered ? tellDelivered(texts, status, formatDuration(durationMs, language)) : texts.testFailed
        }
      >
        {!delivered && [words(error, status), code].filter(Boolean).join(' ')}
      </Notice>
      {answer && (
        <>
          <h3>{texts.testAnswer}</h3>
          <pre className={styles.excerpt}>{answer}</pre>
        </>
      )}
    </>
  );
}

/** A topic answers without a status. */
function tellDelivered(texts: Texts['events']['destinations'], status: number | null, time: string): string {
  return status === null ? texts.testStored(time) : texts.testDelivered({ status, time });
}
