import { ActionIcon } from '@mantine/core';

import { useTexts } from '../texts/texts.tsx';
import { Icon } from '../ui/icons.tsx';
import { LazyMenu } from '../ui/lazy-menu.tsx';
import { lazyPart } from '../ui/lazy-part.ts';

const AccountMenuItems = lazyPart(() => import('./account-menu-items.tsx'), 'AccountMenuItems');

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
