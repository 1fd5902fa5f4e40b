import { useQuery } from '@tanstack/react-query';
import { configurationQuery } from '../../../api/configuration.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Table } from '../../../ui/list/table.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Facts, Section } from '../../../ui/page.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import styles from '../settings.module.css';

type Drift = Schema<'ConfigurationDrift'>;
type Managed = Drift['objects'][number];

/** What a file manages in the project, and what was changed by hand since. */
export function ConfigurationSection() {
  const projectId = useProjectId();
  const drift = useQuery({ ...configurationQuery(projectId), staleTime: 0 });
  return <Loaded query={drift}>{(found) => <Configuration drift={found} />}</Loaded>;
}

function Configuration({ drift }: { readonly drift: Drift }) {
  const { configuration: texts } = useTexts().settings;
  const { objects, lastApplied, unmanaged } = drift;
  return (
    <>
      <Section title={texts.title} lead={texts.lead}>
        {lastApplied === null ? (
          <p className="soft">{texts.none}</p>
        ) : (
          <>
            <Facts facts={[[texts.applied, <Time key="applied" at={lastApplied.at} />]]} />
            <div className={styles.wholeWidth}>
              <ManagedObjects objects={objects} />
            </div>
          </>
        )}
        {unmanaged.length > 0 && (
          <>
            <p className={styles.spaced}>{texts.byHand}</p>
            <Facts
              facts={[...new Set(unmanaged.map(({ type }) => type))].map((type) => [
                texts.types[type],
                <span key={type} className="breaks">
                  {unmanaged
                    .filter((object) => object.type === type)
                    .map(({ name }) => name)
                    .join(', ')}
                </span>,
              ])}
            />
          </>
        )}
      </Section>
      <Section title={texts.commands} lead={texts.commandsLead}>
        <CodeBlock label={texts.commands} code={COMMANDS} />
      </Section>
    </>
  );
}

const COMMANDS = `export GATEWAY_URL=${location.origin} GATEWAY_API_KEY=igk_…
npm run gateway -- export --out gateway.yaml
npm run gateway -- plan gateway.yaml
npm run gateway -- apply gateway.yaml
npm run gateway -- drift`;

function ManagedObjects({ objects }: { readonly objects: readonly Managed[] }) {
  const { configuration: texts } = useTexts().settings;
  return (
    <Table
      bare
      label={texts.title}
      rows={objects}
      rowKey={({ type, name }) => `${type} ${name}`}
      columns={[
        { key: 'name', header: texts.object, render: (row) => <span className="breaks">{row.name}</span> },
        { key: 'type', header: texts.type, render: (row) => texts.types[row.type], wide: true },
        { key: 'state', header: texts.state, render: (row) => <ManagedState state={row.state} /> },
        {
          key: 'fields',
          header: texts.changed,
          render: (row) => <span className="breaks">{row.fields.map(({ path }) => path).join(', ')}</span>,
        },
      ]}
    />
  );
}

function ManagedState({ state }: Pick<Managed, 'state'>) {
  const { configuration: texts } = useTexts().settings;
  return <StateBadge tone={state === 'in_sync' ? 'good' : 'warning'}>{texts.states[state]}</StateBadge>;
}
