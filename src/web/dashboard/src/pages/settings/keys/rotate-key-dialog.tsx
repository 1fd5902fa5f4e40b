import { Button, Modal, NativeSelect } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, refresh } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import styles from '../settings.module.css';
import type { ApiKey, NewApiKey } from './api-key.ts';

const HOUR_SECONDS = 60 * 60;
const OVERLAP_SECONDS = {
  none: 0,
  hour: HOUR_SECONDS,
  day: 24 * HOUR_SECONDS,
  week: 7 * 24 * HOUR_SECONDS,
  month: 30 * 24 * HOUR_SECONDS,
} as const;
type Overlap = keyof typeof OVERLAP_SECONDS;

function isOverlap(value: string): value is Overlap {
  return Object.hasOwn(OVERLAP_SECONDS, value);
}

type RotateKeyDialogProps = {
  /** Closed without one. */
  readonly apiKey: ApiKey | undefined;
  readonly onClose: () => void;
  readonly onCreated: (key: NewApiKey) => void;
};

export function RotateKeyDialog({ apiKey, onClose, onCreated }: RotateKeyDialogProps) {
  const { apiKeys: texts } = useTexts().settings;
  return (
    <Modal opened={apiKey !== undefined} onClose={onClose} title={apiKey && texts.rotateTitle(apiKey.name)}>
      {apiKey && <RotateForm apiKey={apiKey} onClose={onClose} onCreated={onCreated} />}
    </Modal>
  );
}

function RotateForm(props: RotateKeyDialogProps & { apiKey: ApiKey }) {
  const { apiKey, onClose, onCreated } = props;
  const { settings, common } = useTexts();
  const { apiKeys: texts } = settings;
  const projectId = useProjectId();
  const client = useQueryClient();
  const [overlap, setOverlap] = useState<Overlap>('day');
  const rotate = useMutation({
    mutationFn: () =>
      api.post('/projects/{projectId}/api-keys/{id}/rotate', {
        path: { projectId, id: apiKey.id },
        body: { overlapSeconds: OVERLAP_SECONDS[overlap] },
      }),
    onSuccess: async (key) => {
      onClose();
      onCreated(key);
      await refresh(client, '/projects/{projectId}/api-keys', '/activity');
    },
  });
  return (
    <form
      className={styles.dialogForm}
      onSubmit={(event) => {
        event.preventDefault();
        rotate.mutate();
      }}
    >
      <p className="soft">{texts.rotateLead}</p>
      <ProblemNotice error={rotate.error} />
      <NativeSelect
        label={texts.overlap}
        value={overlap}
        onChange={({ currentTarget }) => isOverlap(currentTarget.value) && setOverlap(currentTarget.value)}
        data={Object.entries(texts.overlaps).map(([value, label]) => ({ value, label }))}
        data-autofocus
      />
      <div className={styles.dialogFoot}>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" loading={rotate.isPending}>
          {texts.rotate}
        </Button>
      </div>
    </form>
  );
}
