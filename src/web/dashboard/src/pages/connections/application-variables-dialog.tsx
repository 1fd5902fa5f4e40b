import { Modal } from '@mantine/core';
import { useTexts } from '../../texts/texts.tsx';
import { ApplicationVariables } from './application-variables.tsx';
import type { Asked } from './variables-asked.ts';

export type ApplicationVariablesDialogProps = {
  readonly asked: readonly Asked[];
  readonly onSubmit: (variables: Record<string, string>) => void;
  readonly onClose: () => void;
};

/** The questions in a dialog of their own, for pages that open none while they wait for the window. */
export function ApplicationVariablesDialog({ asked, onSubmit, onClose }: ApplicationVariablesDialogProps) {
  const { applicationVariables: texts } = useTexts().connections;
  return (
    <Modal opened onClose={onClose} title={texts.title} closeOnClickOutside={false}>
      <ApplicationVariables asked={asked} onSubmit={onSubmit} onClose={onClose} />
    </Modal>
  );
}
