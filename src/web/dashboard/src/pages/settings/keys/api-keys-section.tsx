import { ActionIcon, Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api, apiList } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import type { Texts } from '../../../texts/area-texts.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { ResourceList } from '../../../ui/list/resource-list.tsx';
import { formatRelative } from '../../../ui/relative-time.ts';
import { Time } from '../../../ui/time.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { OneTimeSecret } from '../one-time-secret.tsx';
import { SectionHead } from '../section-head.tsx';
import styles from '../settings.module.css';
import type { ApiKey, NewApiKey } from './api-key.ts';
import { EditKeyDialog } from './edit-key-dialog.tsx';
import { findSet } from './key-sets.ts';
import { KeyState } from './key-state.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

/** The keys of the application's backend. */
export function ApiKeysSection() {
  const { apiKeys: texts, ...settings } = useTexts().settings;
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const [made, setMade] = useState<NewApiKey>();
  const [rotated, setRotated] = useState<ApiKey>();
  const [edited, setEdited] = useState<ApiKey>();
  const [isCreating, creating] = useDisclosure();
  const create = canEdit && (
    <Button
      leftSection={<Icon name="plus" size={15} />}
      onClick={creating.open}
      disabled={made !== undefined}
    >
      {texts.create}
    </Button>
  );
  return (
    <>
      <SectionHead title={settings.sections['api-keys']} lead={texts.lead} actions={create} />
      {made && (
        <OneTimeSecret
          title={texts.created(made.name)}
          label={texts.key}
          value={made.key}
          onStored={() => setMade(undefined)}
        />
      )}
      <KeyList canEdit={canEdit && made === undefined} onRotate={setRotated} onEdit={setEdited} />
      {isCreating && <NewKeyDialog onClose={creating.close} onCreated={setMade} />}
      {edited && <EditKeyDialog apiKey={edited} onClose={() => setEdited(undefined)} />}
      {rotated && (
        <RotateKeyDialog apiKey={rotated} onClose={() => setRotated(undefined)} onCreated={setMade} />
      )}
    </>
  );
}

type KeyListProps = {
  readonly canEdit: boolean;
  readonly onRotate: (key: ApiKey) => void;
  readonly onEdit: (key: ApiKey) => void;
};

function KeyList({ canEdit, ...actions }: KeyListProps) {
  const { apiKeys: texts, ...settings } = useTexts().settings;
  const projectId = useProjectId();
  return (
    <ResourceList<ApiKey>
      label={settings.sections['api-keys']}
      query={() => apiList('/projects/{projectId}/api-keys', { path: { projectId } })}
      rowKey={({ id }) => id}
      columns={[
        { key: 'name', header: settings.members.name, render: (key) => <NameCell apiKey={key} /> },
        { key: 'state', header: '', render: (key) => <KeyState apiKey={key} /> },
        { key: 'used', header: texts.lastUsed, render: (key) => <Time at={key.lastUsedAt} />, wide: true },
        {
          key: 'by',
          header: texts.createdBy,
          render: ({ createdBy }) => createdBy?.email ?? '',
          wide: true,
        },
        { key: 'created', header: texts.createdAt, render: (key) => <Time at={key.createdAt} />, wide: true },
        {
          key: 'expires',
          header: texts.expires,
          render: (key) =>
            key.expiresAt ? <Time at={key.expiresAt} /> : <span className="soft">{texts.noExpiry}</span>,
          wide: true,
        },
        {
          key: 'actions',
          header: '',
          align: 'end',
          render: (key) => canEdit && <KeyActions apiKey={key} {...actions} />,
        },
      ]}
      empty={<EmptyState icon="key" title={texts.emptyTitle} text={texts.emptyText} />}
    />
  );
}

function NameCell({ apiKey }: { apiKey: ApiKey }) {
  const { apiKeys: texts } = useTexts().settings;
  return (
    <span className={styles.person}>
      <strong>{apiKey.name}</strong>
      <small className="mono">{apiKey.prefix}…</small>
      <small className="soft">{describeLimits(texts, apiKey)}</small>
    </span>
  );
}

/** The set's name, or the scopes of one's own; and from where it may be used. */
function describeLimits(texts: Texts['settings']['apiKeys'], { scopes, allowedAddresses }: ApiKey): string {
  const set = findSet(scopes);
  const may = set === 'custom' ? scopes.join(', ') : texts.sets[set];
  return allowedAddresses === null ? may : `${may} · ${texts.from(allowedAddresses.join(', '))}`;
}

function KeyActions({ apiKey, onRotate, onEdit }: { apiKey: ApiKey } & Omit<KeyListProps, 'canEdit'>) {
  const { apiKeys: texts } = useTexts().settings;
  const revoke = useRevoke(apiKey);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={texts.of(apiKey.name)}>
          <Icon name="more" size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="edit" size={15} />} onClick={() => onEdit(apiKey)}>
          {texts.edit}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="refresh" size={15} />} onClick={() => onRotate(apiKey)}>
          {texts.rotate}
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="trash" size={15} />}
          color="var(--bad)"
          onClick={() => revoke.mutate()}
        >
          {texts.revoke}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function useRevoke({ id, name, lastUsedAt }: ApiKey) {
  const { apiKeys: texts } = useTexts().settings;
  const { language } = useLanguage();
  const projectId = useProjectId();
  return useAction({
    question: () => ({
      title: texts.revokeTitle(name),
      consequences: [
        texts.revokeNow,
        lastUsedAt
          ? texts.revokeUsed(formatRelative(new Date(lastUsedAt), Date.now(), language))
          : texts.revokeUnused,
      ],
      confirmLabel: texts.revoke,
    }),
    send: () => api.delete('/projects/{projectId}/api-keys/{id}', { path: { projectId, id } }),
    done: texts.revoked(name),
    refresh: ['/projects/{projectId}/api-keys', '/activity'],
  });
}
