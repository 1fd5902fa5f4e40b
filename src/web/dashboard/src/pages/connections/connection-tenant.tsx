import '@mantine/core/styles/Radio.layer.css';
import { Button, Modal, Radio, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { components } from '../../../../../../clients/node/src/api.ts';
import { api, apiQuery, refresh } from '../../api/queries.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { useProjectId } from '../../app/project.ts';
import { useCanEdit } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { IdChip } from '../../ui/id-chip.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { useProvider } from '../../ui/provider-mark.tsx';
import { showDone } from '../../ui/toasts.tsx';
import styles from './connections.module.css';

type Tenant = components['schemas']['Tenant'];
type Kind = NonNullable<components['schemas']['Provider']['tenants']>['kind'];

/** More are found by the search. */
const SHOWN_MAX = 100;
const SEARCH_FROM = 7;

/** What the provider calls the tenants of a connection; undefined where it has none. */
export function useTenantKind(connection: Connection): Kind | undefined {
  return useProvider(connection.serviceProvider)?.tenants?.kind;
}

/** The site, organization or account that the connection is on, and the way to move it to another one. */
export function ConnectionTenant({ connection, kind }: { connection: Connection; kind: Kind }) {
  const texts = useTexts().connections.tenants;
  const canEdit = useCanEdit(useProjectId());
  const [isOpen, dialog] = useDisclosure();
  const { tenantId, tenantName } = connection;
  return (
    <span className={styles.tenant}>
      {tenantId === null ? <span className="soft">{texts.none}</span> : tenantName}
      {tenantId !== null && tenantName !== tenantId && <IdChip id={tenantId} />}
      {canEdit && connection.status === 'active' && (
        <Button size="compact-xs" variant="default" onClick={dialog.open}>
          {texts.change}
        </Button>
      )}
      <Modal opened={isOpen} onClose={dialog.close} title={texts.titles[kind]} size="lg">
        <TenantChooser connection={connection} onDone={dialog.close} />
      </Modal>
    </span>
  );
}

function TenantChooser({ connection, onDone }: { connection: Connection; onDone: () => void }) {
  const listed = useQuery({
    ...apiQuery('/connections/{id}/tenants', { path: { id: connection.id } }),
    staleTime: 0,
    retry: false,
  });
  return (
    <Loaded query={listed}>
      {({ tenants, isComplete }) => (
        <TenantForm connection={connection} tenants={tenants} isComplete={isComplete} onDone={onDone} />
      )}
    </Loaded>
  );
}

type FormProps = {
  readonly connection: Connection;
  readonly tenants: readonly Tenant[];
  readonly isComplete: boolean;
  readonly onDone: () => void;
};

function TenantForm({ connection, tenants, isComplete, onDone }: FormProps) {
  const texts = useTexts().connections.tenants;
  const client = useQueryClient();
  const current = tenants.find(({ isCurrent }) => isCurrent)?.id ?? null;
  const [chosen, setChosen] = useState(current);
  const move = useMutation({
    mutationFn: (tenantId: string) =>
      api.patch('/connections/{id}', { path: { id: connection.id }, body: { tenantId } }),
    onSuccess: async () => {
      await refresh(client, '/connections/{id}', '/connections/{id}/health', '/activity');
      showDone(texts.saved);
      onDone();
    },
  });
  return (
    <form
      className={styles.stack}
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== null) move.mutate(chosen);
      }}
    >
      <p className="soft">{texts.lead}</p>
      <ProblemNotice error={move.error} />
      <TenantList tenants={tenants} chosen={chosen} onChoose={setChosen} />
      {!isComplete && <p className="soft small">{texts.incomplete}</p>}
      <div className={styles.end}>
        <Button type="submit" loading={move.isPending} disabled={chosen === null || chosen === current}>
          {texts.save}
        </Button>
      </div>
    </form>
  );
}

type ListProps = {
  readonly tenants: readonly Tenant[];
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
};

function TenantList({ tenants, chosen, onChoose }: ListProps) {
  const texts = useTexts().connections.tenants;
  const countId = useId();
  const [search, setSearch] = useState('');
  const found = tenants.filter((tenant) => isMatch(tenant, search));
  if (tenants.length === 0) return <p>{texts.empty}</p>;
  return (
    <>
      {tenants.length >= SEARCH_FROM && (
        <TextInput
          type="search"
          aria-label={texts.search}
          placeholder={texts.search}
          aria-describedby={countId}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <p className="soft small" id={countId} role="status">
        {found.length > SHOWN_MAX
          ? texts.shown({ found: found.length, shown: SHOWN_MAX })
          : texts.count(found.length)}
      </p>
      <Radio.Group
        value={chosen}
        onChange={onChoose}
        aria-label={texts.list}
        className={styles.tenants ?? ''}
      >
        {found.slice(0, SHOWN_MAX).map(({ id, name, detail, isCurrent }) => (
          <Radio
            key={id}
            value={id}
            label={name ?? id}
            description={[isCurrent && texts.current, detail, name !== null && id]
              .filter(Boolean)
              .join(' · ')}
          />
        ))}
      </Radio.Group>
    </>
  );
}

function isMatch({ id, name, detail }: Tenant, search: string): boolean {
  const words = `${name ?? ''} ${detail ?? ''} ${id}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}
