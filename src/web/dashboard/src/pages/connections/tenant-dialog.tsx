import '@mantine/core/styles/Radio.layer.css';
import { Radio, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { api, apiQuery } from '../../api/queries.ts';
import type { Schema } from '../../api/schemas.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useForm } from '../../ui/form.ts';
import { FormBody } from '../../ui/form-body.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useSave } from '../../ui/use-save.ts';
import styles from './connections.module.css';

type Tenant = Schema<'Tenant'>;

/** More are found by the search. */
const SHOWN_MAX = 100;
const SEARCH_FROM = 7;

type TenantDialogProps = {
  readonly connection: Connection;
  readonly title: string;
  readonly onClose: () => void;
};

/** Moves a connection to another of its provider's tenants. */
export function TenantDialog({ connection, title, onClose }: TenantDialogProps) {
  const listed = useQuery({
    ...apiQuery('/connections/{id}/tenants', { path: { id: connection.id } }),
    staleTime: 0,
    retry: false,
  });
  return (
    <Dialog onClose={onClose} title={title} size="lg">
      <Loaded query={listed}>
        {({ tenants, isComplete }) => (
          <TenantForm connection={connection} tenants={tenants} isComplete={isComplete} onDone={onClose} />
        )}
      </Loaded>
    </Dialog>
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
  const current = tenants.find(({ isCurrent }) => isCurrent)?.id ?? '';
  const form = useForm({ initialValues: { tenantId: current } });
  const { tenantId } = form.values;
  const move = useSave({
    send: (body: typeof form.values) => api.patch('/connections/{id}', { path: { id: connection.id }, body }),
    form,
    done: texts.saved,
    onClose: onDone,
    refresh: ['/connections/{id}', '/connections/{id}/health', '/activity'],
  });
  return (
    <FormBody
      save={move}
      onSubmit={form.onSubmit(move.mutate)}
      submit={texts.save}
      onCancel={onDone}
      isDisabled={tenantId === '' || tenantId === current}
    >
      <p className="soft">{texts.lead}</p>
      <TenantList tenants={tenants} {...form.getValueProps('tenantId')} />
      {!isComplete && <p className="soft small">{texts.incomplete}</p>}
    </FormBody>
  );
}

type ListProps = {
  readonly tenants: readonly Tenant[];
  readonly value: string;
  readonly error: ReactNode;
  readonly onChange: (id: string) => void;
};

function TenantList({ tenants, ...choice }: ListProps) {
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
      <Radio.Group {...choice} aria-label={texts.list} className={styles.tenants ?? ''}>
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
