import { NativeSelect, SegmentedControl } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { useState } from 'react';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Section } from '../../../ui/page.tsx';
import styles from '../settings.module.css';
import goCode from './samples/go.txt?raw';
import javaCode from './samples/java.txt?raw';
import nodeCode from './samples/node.txt?raw';
import phpCode from './samples/php.txt?raw';
import pythonCode from './samples/python.txt?raw';
import rubyCode from './samples/ruby.txt?raw';
import type { SigningKey } from './signing-key.ts';

/** The programs of examples/user-tokens, letter by letter (a test compares them). */
const PROGRAMS = {
  node: { label: 'Node.js', code: nodeCode },
  python: { label: 'Python', code: pythonCode },
  ruby: { label: 'Ruby', code: rubyCode },
  go: { label: 'Go', code: goCode },
  php: { label: 'PHP', code: phpCode },
  java: { label: 'Java', code: javaCode },
} as const;
type Language = keyof typeof PROGRAMS | 'keyless';
const NAMES = ['node', 'python', 'ruby', 'go', 'php', 'java'] as const;

/** How the application's backend makes a user token: by the gateway, or with its own key in its own language. */
export function TokenCode({ keys }: { keys: readonly SigningKey[] }) {
  const { signingKeys: texts } = useTexts().settings;
  const own = keys.filter(({ kind }) => kind === 'public_key');
  const [language, setLanguage] = useState<Language>(own.length > 0 ? 'node' : 'keyless');
  const [kid, setKid] = useState(own[0]?.kid);
  const options: { value: Language; label: string }[] = [
    { value: 'keyless', label: texts.keyless },
    ...NAMES.map((value) => ({ value, label: PROGRAMS[value].label })),
  ];
  return (
    <Section title={texts.codeTitle} lead={language === 'keyless' ? texts.codeLeadKeyless : texts.codeLead}>
      <div className={styles.stack}>
        <div className={styles.scroller}>
          <SegmentedControl
            size="xs"
            aria-label={texts.codeLanguage}
            value={language}
            onChange={setLanguage}
            data={options}
          />
        </div>
        {language === 'keyless' ? (
          <KeylessCode />
        ) : (
          <>
            {own.length > 1 && (
              <NativeSelect
                label={texts.codeFor}
                data={own.map((key) => key.kid)}
                value={kid}
                onChange={({ currentTarget }) => setKid(currentTarget.value)}
              />
            )}
            <EnvironmentCode kid={own.find((key) => key.kid === kid)?.kid ?? own[0]?.kid} />
            <CodeBlock code={PROGRAMS[language].code.trimEnd()} label={PROGRAMS[language].label} />
            <p className="soft small">{texts.moreLanguages}</p>
          </>
        )}
      </div>
    </Section>
  );
}

function KeylessCode() {
  const { keyless } = useTexts().settings.signingKeys;
  const code = `curl -s ${location.origin}/v1/user-tokens \\
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \\
  -d '{ "userId": "user-1", "expiresIn": 3600 }'`;
  return <CodeBlock code={code} label={keyless} />;
}

function EnvironmentCode({ kid }: { kid: string | undefined }) {
  const { codeEnvironment } = useTexts().settings.signingKeys;
  const projectId = useProjectId();
  const code = `export PROJECT_ID=${projectId}
export SIGNING_KEY_ID=${kid ?? '<kid>'}
export SIGNING_KEY_FILE=private-key.pem`;
  return <CodeBlock code={code} label={codeEnvironment} />;
}
