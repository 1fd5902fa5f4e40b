import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refresh } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { showDone, showProblem } from '../../ui/toasts.tsx';

type AgainButtonProps = {
  readonly label: string;
  /** What a toast says after it was done. */
  readonly done: string;
  readonly act: () => Promise<unknown>;
  /** Templates of the calls whose answers it changes. */
  readonly paths: readonly string[];
};

/** Does once more what a drawer is about: sends a delivery, reads a webhook. */
export function AgainButton({ label, done, act, paths }: AgainButtonProps) {
  const texts = useTexts();
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: act,
    onSuccess: async () => {
      showDone(done);
      await refresh(client, ...paths);
    },
    onError: (error) => showProblem(error, texts),
  });
  return (
    <Button
      variant="default"
      size="compact-sm"
      ml="auto"
      leftSection={<Icon name="refresh" size={13} />}
      loading={again.isPending}
      onClick={() => again.mutate()}
    >
      {label}
    </Button>
  );
}
