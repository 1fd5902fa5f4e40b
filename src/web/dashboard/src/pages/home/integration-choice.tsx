import { Button, Menu } from '@mantine/core';
import { useProviderNames } from '../../app/providers.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import type { ListedIntegration } from './home-data.ts';

type IntegrationChoiceProps = {
  readonly integrations: readonly ListedIntegration[];
  readonly chosen: ListedIntegration;
  readonly onChoose: (id: string) => void;
};

/** One of the project's integrations; a menu where there are several. */
export function IntegrationChoice({ integrations, chosen, onChoose }: IntegrationChoiceProps) {
  const { home } = useTexts();
  const nameOf = useProviderNames(integrations.map(({ serviceProvider }) => serviceProvider));
  if (integrations.length < 2) return null;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="default"
          aria-label={home.chooseIntegration(nameOf(chosen.serviceProvider))}
          leftSection={<ProviderLogo id={chosen.serviceProvider} size={18} />}
          rightSection={<Icon name="chevronDown" size={14} />}
        >
          {nameOf(chosen.serviceProvider)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        {integrations.map(({ id, serviceProvider }) => (
          <Menu.Item
            key={id}
            onClick={() => onChoose(id)}
            leftSection={<ProviderLogo id={serviceProvider} size={18} />}
          >
            {nameOf(serviceProvider)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
