import { ActionIcon } from '@mantine/core';
import { lazy } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { Icon } from '../ui/icons.tsx';
import { LazyMenu } from '../ui/lazy-menu.tsx';

const AccountMenuItems = lazy(async () => ({
  default: (await import('./account-menu-items.tsx')).AccountMenuItems,
}));

/** The operator's own menu, at the top right. */
export function AccountMenu() {
  const { frame } = useTexts();
  return (
    <LazyMenu
      button={
        <ActionIcon size="lg" aria-label={frame.account}>
          <Icon name="user" size={19} />
        </ActionIcon>
      }
      menu={(button) => <AccountMenuItems>{button}</AccountMenuItems>}
    />
  );
}
