import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useTexts } from '../texts/texts.tsx';
import { Icon } from './icons.tsx';

/** Copies `value` and says that it did, to eyes and screen readers. */
export function CopyButton({ value, label, size = 24 }: { value: string; label?: string; size?: number }) {
  const { common } = useTexts();
  const { copied, copy } = useClipboard({ timeout: 1_500 });
  const name = copied ? common.copied : (label ?? common.copy);
  return (
    <Tooltip label={name}>
      <ActionIcon size={size} aria-label={name} onClick={() => copy(value)} color={copied ? 'teal' : 'gray'}>
        <Icon name={copied ? 'check' : 'copy'} size={Math.round(size * 0.6)} />
        <span className="unseen" aria-live="polite">
          {copied ? common.copied : ''}
        </span>
      </ActionIcon>
    </Tooltip>
  );
}
