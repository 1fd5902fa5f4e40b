import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { IdChip } from '../../../ui/id-chip.tsx';
import { Table } from '../../../ui/list/table.tsx';
import { Section } from '../../../ui/page.tsx';
import { Time } from '../../../ui/time.tsx';
import { ErasureState } from './erasure-report.tsx';

/** The last erasures, where there have been any. */
export function Erasures({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const { erasures: texts } = useTexts().settings;
  const projectId = useProjectId();
  const reports = useQuery(
    apiQuery('/projects/{projectId}/user-erasures', { path: { projectId }, query: { limit: 10 } }),
  );
  const rows = reports.data?.userErasures ?? [];
  if (rows.length === 0) return null;
  return (
    <Section title={texts.title} lead={texts.lead}>
      <Table
        bare
        label={texts.title}
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          { key: 'state', header: texts.state, render: (report) => <ErasureState report={report} /> },
          { key: 'at', header: texts.requested, render: ({ createdAt }) => <Time at={createdAt} /> },
          {
            key: 'pseudonym',
            header: texts.pseudonym,
            render: ({ pseudonym }) => <IdChip id={pseudonym} />,
            wide: true,
          },
          {
            key: 'open',
            header: '',
            align: 'end',
            render: ({ id }) => (
              <Button variant="subtle" size="compact-sm" onClick={() => onOpen(id)}>
                {texts.open}
              </Button>
            ),
          },
        ]}
      />
    </Section>
  );
}
