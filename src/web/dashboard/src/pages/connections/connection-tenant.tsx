import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';

import { Suspense } from 'react';
import type { Schema } from '../../api/schemas.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { useProjectId } from '../../app/project.ts';
import { useCanEdit } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { IdChip } from '../../ui/id-chip.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { useProvider } from '../../ui/provider-mark.tsx';
import styles from './connections.module.css';

const TenantDialog = lazyPart(() => import('./tenant-dialog.tsx'), 'TenantDialog');

type Kind = NonNullable<Schema<'Provider'>['tenants']>['kind'];

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
      <Suspense>
        {isOpen && <TenantDialog connection={connection} title={texts.titles[kind]} onClose={dialog.close} />}
      </Suspense>
    </span>
  );
}
