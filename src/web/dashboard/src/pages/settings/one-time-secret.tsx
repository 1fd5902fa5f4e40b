import { Button } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';

type OneTimeSecretProps = {
  readonly title: string;
  readonly label: string;
  readonly value: string;
  /** What else there is to know about it. */
  readonly children?: ReactNode;
  readonly onStored: () => void;
};

/**
 * A secret that the API shows this once. It stays until the operator says that it is stored; a reload or another page
 * asks first.
 */
export function OneTimeSecret({ title, label, value, children, onStored }: OneTimeSecretProps) {
  const { settings } = useTexts();
  const { secret } = settings;
  const confirm = useConfirm();
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (current.pathname === next.pathname) return false;
      const { leaveTitle, leaveText, leave } = secret;
      return !(await confirm({ title: leaveTitle, consequences: [leaveText], confirmLabel: leave }));
    },
    enableBeforeUnload: true,
  });
  return (
    <Section title={title}>
      <Notice tone="warning" title={secret.once} isAlert>
        {children}
      </Notice>
      <CodeBlock code={value} label={label} />
      <Button mt="md" onClick={onStored}>
        {secret.stored}
      </Button>
    </Section>
  );
}
