import { Button, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { api } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { useAction } from '../../../ui/use-action.ts';
import { type Destination, PATHS_OF_DESTINATION, useNumber } from './destination-parts.tsx';

const DestinationDialog = lazyPart(() => import('./destination-dialog.tsx'), 'DestinationDialog');
const ReplayDialog = lazyPart(() => import('./replay-dialog.tsx'), 'ReplayDialog');
const TestDialog = lazyPart(() => import('./test-dialog.tsx'), 'TestDialog');

type DestinationActionsProps = {
  readonly destination: Destination;
  readonly onSecret: (secret: string) => void;
};

/** Enabling comes first where it is disabled, a test elsewhere; the rest stands in the menu. */
export function DestinationActions({ destination, onSecret }: DestinationActionsProps) {
  const { destinations: texts } = useTexts().events;
  const [dialog, setDialog] = useState<'edit' | 'replay' | 'test'>();
  const isDisabled = destination.state === 'disabled';
  const calls = useDestinationCalls(destination, onSecret);
  const close = () => setDialog(undefined);
  return (
    <>
      {isDisabled && (
        <Button loading={calls.enable.isPending} onClick={() => calls.enable.mutate()}>
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
      <MoreActions isDisabled={isDisabled} calls={calls} onEdit={() => setDialog('edit')} />
      <Suspense>
        {dialog === 'edit' && <DestinationDialog destination={destination} onClose={close} />}
        {dialog === 'replay' && <ReplayDialog destination={destination} onClose={close} />}
        {dialog === 'test' && <TestDialog destination={destination} onClose={close} />}
      </Suspense>
    </>
  );
}

type MoreActionsProps = {
  readonly isDisabled: boolean;
  readonly calls: ReturnType<typeof useDestinationCalls>;
  readonly onEdit: () => void;
};

function MoreActions({ isDisabled, calls, onEdit }: MoreActionsProps) {
  const { events, common } = useTexts();
  const texts = events.destinations;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" px="xs" aria-label={common.actions}>
          <Icon name="more" size={18} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="edit" size={15} />} onClick={onEdit}>
          {common.edit}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="key" size={15} />} onClick={() => calls.rotate.mutate()}>
          {texts.rotate}
        </Menu.Item>
        {!isDisabled && (
          <Menu.Item leftSection={<Icon name="pause" size={15} />} onClick={() => calls.disable.mutate()}>
            {texts.disable}
          </Menu.Item>
        )}
        <Menu.Item
          color="red"
          leftSection={<Icon name="trash" size={15} />}
          onClick={() => calls.remove.mutate()}
        >
          {texts.deleteAction}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function useDestinationCalls({ id, url, queue }: Destination, onSecret: (secret: string) => void) {
  const { common, events } = useTexts();
  const texts = events.destinations;
  const number = useNumber();
  const projectId = useProjectId();
  const navigate = useNavigate();
  const path = { id };
  const enable = useAction({
    send: () => api.post('/event-destinations/{id}/enable', { path }),
    done: texts.enabled,
    refresh: PATHS_OF_DESTINATION,
  });
  const disable = useAction({
    question: {
      title: texts.disableTitle,
      consequences: [texts.disableText],
      confirmLabel: texts.disable,
    },
    send: () => api.post('/event-destinations/{id}/disable', { path }),
    refresh: PATHS_OF_DESTINATION,
  });
  const rotate = useAction({
    question: {
      title: texts.rotateTitle,
      consequences: [texts.rotateText],
      confirmLabel: texts.rotate,
    },
    send: () => api.post('/event-destinations/{id}/rotate-secret', { path }),
    onDone: ({ secret }) => onSecret(secret),
    refresh: PATHS_OF_DESTINATION,
  });
  const { host } = new URL(url);
  const remove = useAction({
    question: {
      title: texts.deleteTitle(host),
      consequences: [texts.deleteText(number(queue.waiting)), texts.deleteStays, common.cannotBeUndone],
      confirmLabel: texts.deleteAction,
      typedName: host,
    },
    send: () => api.delete('/event-destinations/{id}', { path }),
    done: texts.deleted,
    onDone: () =>
      navigate({ to: '/p/$projectId/events/$section', params: { projectId, section: 'destinations' } }),
    refresh: ['/event-destinations', '/deliveries', '/deliveries/causes', '/activity'],
  });
  return { enable, disable, rotate, remove };
}
