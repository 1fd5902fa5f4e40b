import { Button } from '@mantine/core';
import { useTexts } from '../texts/texts.tsx';
import { Icon } from './icons.tsx';

type DeleteButtonProps = {
  /** Of `useAction`, which asks first. */
  readonly action: { readonly isPending: boolean; readonly mutate: () => void };
};

/** Deletes the thing that the page is about. */
export function DeleteButton({ action }: DeleteButtonProps) {
  const { common } = useTexts();
  return (
    <Button
      variant="subtle"
      color="red"
      c="var(--bad)"
      leftSection={<Icon name="trash" size={15} />}
      onClick={() => action.mutate()}
      loading={action.isPending}
    >
      {common.delete}
    </Button>
  );
}
