import { useProjectId } from '../../app/project.ts';
import { useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { type Column, Table } from '../../ui/list/table.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { ProviderMark } from '../../ui/provider-mark.tsx';
import type { CallsOfLog } from './calls-of-log.ts';
import type { FoldedCall } from './fold-calls.ts';
import styles from './mandates.module.css';

type FoldedCallsProps = { readonly found: CallsOfLog; readonly filters: Readonly<Record<string, string>> };

/** The calls that a mandate is made of, and what became of their paths. */
export function FoldedCalls({ found, filters }: FoldedCallsProps) {
  const { mandates } = useTexts();
  const texts = mandates.calls;
  const projectId = useProjectId();
  const columns = useColumns();
  const back = (
    <LinkButton variant="default" to="/p/$projectId/calls" params={{ projectId }} search={filters}>
      {texts.back}
    </LinkButton>
  );
  if (found.folded.length === 0)
    return <EmptyState icon="calls" title={texts.none} text={texts.noneText} action={back} />;
  return (
    <Section title={texts.title} lead={texts.lead(found.calls)} actions={back} flush>
      <div className={styles.scroller}>
        <Table
          bare
          label={texts.title}
          columns={columns}
          rows={found.folded}
          rowKey={({ provider, method, pattern }) => `${provider} ${method} ${pattern}`}
        />
      </div>
      <div className={styles.remarks}>
        {found.entries === undefined && (
          <Notice tone="warning" title={texts.tooLarge}>
            {texts.tooLargeText}
          </Notice>
        )}
        {found.isCut && <p className="soft small">{texts.cut}</p>}
        {found.leftOut > 0 && <p className="soft small">{texts.leftOut(found.leftOut)}</p>}
        <p className="soft small">{texts.hosts}</p>
      </div>
    </Section>
  );
}

function useColumns(): Column<FoldedCall>[] {
  const { calls: texts, uses } = useTexts().mandates;
  return [
    {
      key: 'pattern',
      header: texts.pattern,
      render: ({ method, pattern }) => (
        <code>
          {method} {pattern}
        </code>
      ),
    },
    { key: 'example', header: texts.call, wide: true, render: ({ example }) => <code>{example}</code> },
    {
      key: 'provider',
      header: uses.provider,
      wide: true,
      render: ({ provider }) => <ProviderMark id={provider} size={16} />,
    },
    { key: 'calls', header: texts.counted, align: 'end', render: ({ calls }) => calls },
  ];
}
