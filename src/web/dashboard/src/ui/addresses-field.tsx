import { Textarea } from '@mantine/core';
import type { ChangeEvent, ReactNode } from 'react';

type AddressesFieldProps = {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly error: ReactNode;
  readonly onChange: (event: ChangeEvent<HTMLTextAreaElement>) => void;
};

/** Ranges of addresses, one in a line. */
export function AddressesField({ hint, ...field }: AddressesFieldProps) {
  return (
    <Textarea
      description={hint}
      placeholder="192.0.2.0/24"
      autosize
      minRows={1}
      maxRows={6}
      spellCheck={false}
      {...field}
    />
  );
}

/** What is typed, as ranges; undefined where nothing is. */
export function readAddresses(text: string): string[] | undefined {
  const ranges = text.split(/[\s,;]+/).filter(Boolean);
  return ranges.length === 0 ? undefined : ranges;
}
