import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../../api/queries.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { Bars } from '../../../ui/loaded.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { formatDuration } from '../../../ui/time.tsx';
import styles from '../events.module.css';
import { type Destination, useErrorWords } from './destination-parts.tsx';

/** Sends a test event at once and shows what came back. */
export function TestDialog({ destination, onClose }: { destination: Destination; onClose: () => void }) {
  const { events, common } = useTexts();
  const texts = events.destinations;
  const { language } = useLanguage();
  const words = useErrorWords();
  const test = useMutation({
    mutationFn: () => api.post('/event-destinations/{id}/test', { path: { id: destination.id } }),
  });
  const { mutate } = test;
  useEffect(() => mutate(), [mutate]);
  const result = test.data;
  return (
    <Modal opened onClose={onClose} title={texts.test} size="lg">
      <p className="soft mono">{destination.url}</p>
      <div className="block" aria-live="polite">
        {test.isPending && <Bars rows={3} />}
        <ProblemNotice error={test.error} />
        {result && (
          <>
            <Notice
              tone={result.delivered ? 'good' : 'bad'}
              title={
                result.delivered
                  ? texts.testDelivered({
                      status: result.status ?? 0,
                      time: formatDuration(result.durationMs, language),
                    })
                  : texts.testFailed
              }
            >
              {!result.delivered &&
                [words(result.error, result.status), result.code].filter(Boolean).join(' ')}
            </Notice>
            {result.answer && (
              <>
                <h3>{texts.testAnswer}</h3>
                <pre className={styles.excerpt}>{result.answer}</pre>
              </>
            )}
          </>
        )}
      </div>
      <div className={styles.formFoot}>
        <Button variant="default" loading={test.isPending} onClick={() => mutate()}>
          {common.retry}
        </Button>
        <Button onClick={onClose}>{common.close}</Button>
      </div>
    </Modal>
  );
}
