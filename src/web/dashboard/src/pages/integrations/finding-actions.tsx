import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, Suspense } from 'react';
import { useTexts } from '../../texts/texts.tsx';
import type { Finding } from '../../ui/finding-list.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { HrefButton } from '../../ui/link.tsx';
import { findRemedyPlace, type RemedyPlace } from './find-remedy-place.ts';
import type { Integration } from './form-values.ts';

const RotateDialog = lazyPart(() => import('./secret-dialogs.tsx'), 'RotateDialog');

const BUTTON = { variant: 'default', size: 'compact-sm' } as const;

type Input = {
  readonly projectId: string;
  readonly integration: Integration;
  /** What the page cannot do for this operator or this provider is left out. */
  readonly canEdit: boolean;
  readonly onEdit: (() => void) | undefined;
};

/** The button of a finding that does, or leads to, what its remedy says; and the dialog that one of them opens. */
export function useFindingActions({ projectId, integration, canEdit, onEdit }: Input) {
  const texts = useTexts().integrations.detail;
  const [isRotating, rotating] = useDisclosure();
  const actionOf = ({ code }: Finding): ReactNode => {
    const place = findRemedyPlace(code);
    if (place === undefined) return null;
    if (place !== 'edit' && place !== 'secret')
      return (
        <HrefButton {...BUTTON} href={addressOf(place, projectId, integration.id)}>
          {texts.remedies[place]}
        </HrefButton>
      );
    const onClick = place === 'secret' ? rotating.open : onEdit;
    if (!canEdit || onClick === undefined) return null;
    return (
      <Button {...BUTTON} onClick={onClick}>
        {place === 'secret' ? texts.rotateTitle : texts.edit}
      </Button>
    );
  };
  const dialog = (
    <Suspense>{isRotating && <RotateDialog integration={integration} onClose={rotating.close} />}</Suspense>
  );
  return { actionOf, dialog };
}

type LinkPlace = Exclude<RemedyPlace, 'edit' | 'secret'>;

/** After the address of the project; the last is outside of it. */
function addressOf(place: LinkPlace, projectId: string, integrationId: string): string {
  const paths: Readonly<Record<LinkPlace, string>> = {
    polls: `/events/polls?integrationId=${integrationId}`,
    destinations: '/events/destinations',
    webhooks: `/events/webhooks?integrationId=${integrationId}`,
    lost: `/connections?integrationId=${integrationId}&status=reauthorization_required`,
    connections: `/connections?integrationId=${integrationId}`,
    calls: '/calls',
    tokens: '/settings/signing-keys',
    project: '/settings/project',
    gateway: '/gateway',
  };
  return place === 'gateway' ? paths.gateway : `/p/${projectId}${paths[place]}`;
}
