import { Button, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api, refresh } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { useConfirm } from '../../../ui/confirm.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { showDone, showProblem } from '../../../ui/toasts.tsx';
import { type Destination, PATHS_OF_DESTINATION, useNumber } from './destination-parts.tsx';

const DestinationDialog = lazy(async () => ({
  default: (await import('./destination-dialog.tsx')).DestinationDialog,
}));
const ReplayDialog = lazy(async () => ({ default: (await import('./replay-dialog.tsx')).ReplayDialog }));
const TestDialog = lazy(async () => ({ default: (await import('./test-dialog.tsx')).TestDialog }));

type DestinationActionsProps = {
  readonly destination: Destination;
  readonly onSecret: (secret: string) => void;
};

/** Enabling comes first where it is disabled, a test elsewhere; the rest stands in the menu. */
export function DestinationActions({ destination, onSecret }: DestinationActionsProps) {
  const { events, common } = useTexts();
  const texts = events.destinations;
  const [dialog, setDialog] = useState<'edit' | 'replay' | 'test'>();
  const isDisabled = destination.state === 'disabled';
  const { enable, disable, rotate, remove } = useDestinationCalls(destination, onSecret);
  const close = () => setDialog(undefined);
  return (
    <>
      {isDisabled && (
        <Button loading={enable.isPending} onClick={() => enable.mutate()}>
          {texts.enable}
        </Button>
      )}
      <Button
        variant={isDisabled ? 'default' : 'filled'}
        leftSection={<Icon name="send" size={14} />}
        onClick={() => setDialog('test')}
      >
        {texts.test}
      </Button>
      <Button
        variant="default"
        leftSection={<Icon name="history" size={15} />}
        onClick={() => setDialog('replay')}
      >
        {texts.replay}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px="xs" aria-label={common.actions}>
            <Icon name="more" size={18} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="edit" size={15} />} onClick={() => setDialog('edit')}>
            {common.edit}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="key" size={15} />} onClick={() => rotate.mutate()}>
            {texts.rotate}
          </Menu.Item>
          {!isDisabled && (
            <Menu.Item leftSection={<Icon name="pause" size={15} />} onClick={() => disable.mutate()}>
              {texts.disable}
            </Menu.Item>
          )}
          <Menu.Item
            color="red"
            leftSection={<Icon name="trash" size={15} />}
            onClick={() => remove.mutate()}
          >
            {texts.deleteAction}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {dialog === 'edit' && <DestinationDialog destination={destination} onClose={close} />}
        {dialog === 'replay' && <ReplayDialog destination={destination} onClose={close} />}
        {dialog === 'test' && <TestDialog destination={destination} onClose={close} />}
      </Suspense>
    </>
  );
}

function useDestinationCalls({ id, url, queue }: Destination, onSecret: (secret: string) => void) {
  const all = useTexts();
  const { common } = all;
  const texts = all.events.destinations;
  const number = useNumber();
  const projectId = useProjectId();
  const client = useQueryClient();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const path = { id };
  const onError = (error: unknown) => showProblem(error, all);
  const onSuccess = () => refresh(client, ...PATHS_OF_DESTINATION);
  const enable = useMutation({
    mutationFn: () => api.post('/event-destinations/{id}/enable', { path }),
    onSuccess: () => {
      showDone(texts.enabled);
      return onSuccess();
    },
    onError,
  });
  const disable = useMutation({
    mutationFn: async () => {
      const question = {
        title: texts.disableTitle,
        consequences: [texts.disableText],
        confirmLabel: texts.disable,
      };
      if (await confirm(question)) await api.post('/event-destinations/{id}/disable', { path });
    },
    onSuccess,
    onError,
  });
  const rotate = useMutation({
    mutationFn: async () => {
      const question = {
        title: texts.rotateTitle,
        consequences: [texts.rotateText],
        confirmLabel: texts.rotate,
      };
      if (!(await confirm(question))) return;
      const { secret } = await api.post('/event-destinations/{id}/rotate-secret', { path });
      onSecret(secret);
    },
    onSuccess,
    onError,
  });
  const remove = useMutation({
    mutationFn: async () => {
      const { host } = new URL(url);
      const isConfirmed = await confirm({
        title: texts.deleteTitle(host),
        consequences: [texts.deleteText(number(queue.waiting)), texts.deleteStays, common.cannotBeUndone],
        confirmLabel: texts.deleteAction,
        typedName: host,
      });
      if (!isConfirmed) return;
      await api.delete('/event-destinations/{id}', { path });
      showDone(texts.deleted);
      const params = { projectId, section: 'destinations' };
      await navigate({ to: '/p/$projectId/events/$section', params });
      await refresh(client, '/event-destinations', '/deliveries', '/deliveries/causes', '/activity');
    },
    onError,
  });
  return { enable, disable, rotate, remove };
}
