import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import type { FilterDefinition } from './filters.ts';

type ChoiceMenuProps = {
  readonly definition: FilterDefinition;
  readonly setFilter: (name: string, value: string) => void;
  readonly children: ReactElement;
};

/** The values of one filter. `children` is the button that opens it; it is open at first. */
export function ChoiceMenu({ definition, setFilter, children }: ChoiceMenuProps) {
  return (
    <Menu position="bottom-start" defaultOpened>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        {(definition.options ?? []).map(({ value, label }) => (
          <Menu.Item key={value} onClick={() => setFilter(definition.name, value)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
