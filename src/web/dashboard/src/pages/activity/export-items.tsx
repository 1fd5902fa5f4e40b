import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import { useProjectId } from '../../app/project.ts';
import { useTexts } from '../../texts/texts.tsx';
import type { Filters } from '../../ui/list/filters.ts';

/** The formats in which the filtered activity is exported, in a menu that is open at first. */
export function ExportItems({ filters, children }: { filters: Filters; children: ReactElement }) {
  const { activity } = useTexts();
  const projectId = useProjectId();
  const addressOf = (format: string) =>
    `/v1/activity/export?${new URLSearchParams({ projectId, ...filters, format })}`;
  return (
    <Menu position="bottom-end" defaultOpened>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{activity.exportAs}</Menu.Label>
        <Menu.Item component="a" href={addressOf('csv')} download="activity.csv">
          {activity.csv}
        </Menu.Item>
        <Menu.Item component="a" href={addressOf('jsonl')} download="activity.jsonl">
          {activity.jsonl}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
