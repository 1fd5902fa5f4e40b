import { Button } from '@mantine/core';
import { Icon } from '../../ui/icons.tsx';
import { useAction } from '../../ui/use-action.ts';

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
  const again = useAction({ send: act, done, refresh: paths });
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
