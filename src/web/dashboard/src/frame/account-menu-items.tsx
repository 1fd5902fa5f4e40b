import { Menu, useMantineColorScheme } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { changeMe, ownInvitationsQuery, signOut } from '../api/operators.ts';
import { useMe } from '../app/session.ts';
import { announceSession } from '../app/session-tabs.ts';
import type { Language } from '../texts/language.ts';
import { LANGUAGE_NAMES, LANGUAGES, useLanguage, useTexts } from '../texts/texts.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { useAction } from '../ui/use-action.ts';

const SCHEMES = [
  { value: 'light', icon: 'sun', text: 'light' },
  { value: 'dark', icon: 'moon', text: 'dark' },
  { value: 'auto', icon: 'monitor', text: 'system' },
] as const satisfies readonly { value: string; icon: IconName; text: 'light' | 'dark' | 'system' }[];

/** Who is signed in: profile, appearance, language, signing out. `children` is the button that opens it. */
export function AccountMenuItems({ children }: { children: ReactElement }) {
  const texts = useTexts();
  const { frame } = texts;
  const me = useMe();
  const invited = useQuery(ownInvitationsQuery).data?.invitations.length ?? 0;
  const navigate = useNavigate();
  const client = useQueryClient();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { language, setLanguage } = useLanguage();
  const leave = useAction({
    send: signOut,
    onDone: async () => {
      announceSession('signed-out');
      client.clear();
      await navigate({ to: '/sign-in' });
    },
  });
  const choose = (next: Language) => {
    setLanguage(next);
    void changeMe({ language: next }).catch(() => undefined);
  };
  return (
    <Menu position="bottom-end" width={232} defaultOpened>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {me && <Menu.Label>{me.name ?? me.email}</Menu.Label>}
        <Menu.Item leftSection={<Icon name="shield" />} onClick={() => navigate({ to: '/me' })}>
          {frame.me}
        </Menu.Item>
        {invited > 0 && (
          <Menu.Item leftSection={<Icon name="mail" />} onClick={() => navigate({ to: '/me' })}>
            {texts.ownInvitations.count(invited)}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>{frame.appearance}</Menu.Label>
        {SCHEMES.map(({ value, icon, text }) => (
          <Menu.Item
            key={value}
            closeMenuOnClick={false}
            leftSection={<Icon name={icon} />}
            rightSection={colorScheme === value && <Icon name="check" size={15} />}
            onClick={() => setColorScheme(value)}
          >
            {frame[text]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{frame.language}</Menu.Label>
        {LANGUAGES.map((each) => (
          <Menu.Item
            key={each}
            lang={each}
            rightSection={each === language && <Icon name="check" size={15} />}
            onClick={() => choose(each)}
          >
            {LANGUAGE_NAMES[each]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="signOut" />} onClick={() => leave.mutate()}>
          {frame.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
