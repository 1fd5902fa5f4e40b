import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../../texts/texts.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Section } from '../../../ui/page.tsx';
import type { ConsoleCall } from './console-call.ts';
import { asCurl, asFetch, asOfficialClient } from './snippets.ts';

type Kind = 'curl' | 'fetch' | 'client';

/** The call as code to copy. */
export function CodeSamples(props: { call: ConsoleCall; proxyUrl: string; projectId: string }) {
  const { call, proxyUrl, projectId } = props;
  const { console: texts } = useTexts().calls;
  const [kind, setKind] = useState<Kind>('curl');
  const place = { proxyUrl, projectId };
  const official = asOfficialClient(call, place);
  const shown = kind === 'client' && official === undefined ? 'curl' : kind;
  const kinds: { value: Kind; label: string }[] = [
    { value: 'curl', label: texts.curl },
    { value: 'fetch', label: texts.fetch },
    ...(official ? [{ value: 'client' as const, label: official.client }] : []),
  ];
  const code =
    shown === 'curl'
      ? asCurl(call, place)
      : shown === 'fetch'
        ? asFetch(call, place)
        : (official?.code ?? '');
  return (
    <Section
      title={texts.copyAs}
      lead={texts.tokenNote}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={texts.copyAs}
          value={shown}
          onChange={(value) => setKind(kinds.find((each) => each.value === value)?.value ?? 'curl')}
          data={kinds}
        />
      }
    >
      <CodeBlock code={code} label={texts.copyAs} />
    </Section>
  );
}
