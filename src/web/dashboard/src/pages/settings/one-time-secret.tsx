import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { useShownOnce } from '../../ui/use-shown-once.ts';

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
  const { secret } = useTexts();
  useShownOnce();
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
