import { Button, TextInput } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import type { Provider } from '../../api/catalog.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import styles from './integrations.module.css';
import { splitScopes } from './parse-pasted.ts';
import { chooseScopesHint } from './scopes-hint.ts';

export type Scopes = { readonly scopes: readonly string[]; readonly optionalScopes: readonly string[] };

type ScopePickerProps = {
  readonly provider: Provider;
  readonly value: Scopes;
  readonly onChange: (value: { scopes: string[]; optionalScopes: string[] }) => void;
  readonly error?: ReactNode;
};

/** Known scopes as chips with what they allow, presets, and free text. */
export function ScopePicker({ provider, value, onChange, error }: ScopePickerProps) {
  const { setUp: texts } = useTexts().integrations;
  const { defaults, descriptions, supportsOptional } = provider.scopes;
  const [own, setOwn] = useState(() => value.scopes.concat(value.optionalScopes));
  const known = [...new Set([...Object.keys(descriptions), ...defaults, ...own, ...value.scopes])];
  const chosen = new Set([...value.scopes, ...value.optionalScopes]);
  const set = (scopes: readonly string[], optionalScopes: readonly string[]) =>
    onChange({ scopes: [...scopes], optionalScopes: [...optionalScopes] });
  const without = (list: readonly string[], scope: string) => list.filter((one) => one !== scope);
  const toggle = (scope: string) =>
    chosen.has(scope)
      ? set(without(value.scopes, scope), without(value.optionalScopes, scope))
      : set([...value.scopes, scope], value.optionalScopes);
  const toggleOptional = (scope: string) =>
    value.optionalScopes.includes(scope)
      ? set([...value.scopes, scope], without(value.optionalScopes, scope))
      : set(without(value.scopes, scope), [...value.optionalScopes, scope]);
  const add = (scopes: readonly string[]) => {
    setOwn((before) => [...before, ...scopes]);
    set([...value.scopes, ...scopes.filter((scope) => !chosen.has(scope))], value.optionalScopes);
  };
  return (
    <fieldset className={styles.scopes}>
      <legend>
        {texts.scopes} <span className="soft small">{texts.chosen(chosen.size)}</span>
      </legend>
      <p className="soft small">{texts[chooseScopesHint(provider)]}</p>
      {known.length > 0 && <Presets provider={provider} onChoose={(scopes) => set(scopes, [])} />}
      {error !== undefined && (
        <p className="bad small" role="alert">
          {error}
        </p>
      )}
      <div className={styles.chips}>
        {known.map((scope) => (
          <ScopeChip
            key={scope}
            scope={scope}
            description={descriptions[scope]}
            isChosen={chosen.has(scope)}
            isOptional={value.optionalScopes.includes(scope)}
            onToggle={() => toggle(scope)}
            onToggleOptional={supportsOptional ? () => toggleOptional(scope) : undefined}
          />
        ))}
      </div>
      {supportsOptional && <p className="soft small">{texts.optionalHint}</p>}
      <AddScope onAdd={add} />
    </fieldset>
  );
}

type ScopeChipProps = {
  readonly scope: string;
  readonly description: string | undefined;
  readonly isChosen: boolean;
  readonly isOptional: boolean;
  readonly onToggle: () => void;
  readonly onToggleOptional: (() => void) | undefined;
};

function ScopeChip(props: ScopeChipProps) {
  const { scope, description, isChosen, isOptional, onToggle, onToggleOptional } = props;
  const { setUp: texts } = useTexts().integrations;
  return (
    <span className={styles.chip} data-chosen={isChosen}>
      <button type="button" aria-pressed={isChosen} onClick={onToggle} title={scope}>
        <Icon name={isChosen ? 'check' : 'plus'} size={13} />
        <span>
          <code>{scope}</code>
          {description !== undefined && <small lang="en">{description}</small>}
        </span>
      </button>
      {isChosen && onToggleOptional && (
        <button
          type="button"
          className={styles.optional}
          aria-pressed={isOptional}
          title={texts.makeOptional(scope)}
          onClick={onToggleOptional}
        >
          {isOptional ? texts.optional : texts.required}
          <span className="unseen"> {scope}</span>
        </button>
      )}
    </span>
  );
}

/** Scopes that only read, as most providers name them. */
const READS = /(?:^|[.:_/-])(?:read|readonly|read_only|view|viewer|list)(?:$|[.:_/-])|\.readonly$|^read/i;
const WRITES = /write|manage|full|admin|modify|delete|send|edit|readwrite|read_write/i;

function Presets({ provider, onChoose }: { provider: Provider; onChoose: (scopes: string[]) => void }) {
  const { setUp: texts } = useTexts().integrations;
  const { defaults, descriptions } = provider.scopes;
  const listed = Object.keys(descriptions);
  const reads = listed.filter((scope) => READS.test(scope) && !WRITES.test(scope));
  // What says neither is mostly needed for signing in at all: openid, oauth, offline_access.
  const basic = defaults.filter((scope) => !READS.test(scope) && !WRITES.test(scope) && !scope.includes('/'));
  const presets: [string, string[]][] = [
    ...(defaults.length > 0 ? ([[texts.presetDefaults, [...defaults]]] as [string, string[]][]) : []),
    ...(reads.length > 0
      ? ([[texts.presetRead, [...new Set([...basic, ...reads])]]] as [string, string[]][])
      : []),
    ...(listed.length > 1 ? ([[texts.presetAll, listed]] as [string, string[]][]) : []),
    [texts.presetNone, []],
  ];
  return (
    <fieldset className={styles.presets} aria-label={texts.presets}>
      {presets.map(([name, scopes]) => (
        <button type="button" key={name} className={styles.category} onClick={() => onChoose(scopes)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}

function AddScope({ onAdd }: { onAdd: (scopes: string[]) => void }) {
  const { setUp: texts } = useTexts().integrations;
  const [typed, setTyped] = useState('');
  const add = () => {
    const scopes = splitScopes(typed);
    if (scopes.length > 0) onAdd(scopes);
    setTyped('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    // Enter in this field must not save the form.
    event.preventDefault();
    add();
  };
  return (
    <TextInput
      label={texts.addScope}
      placeholder={texts.addScopePlaceholder}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      rightSectionWidth={116}
      rightSectionProps={{ className: styles.addScope ?? '' }}
      rightSection={
        <Button variant="light" size="compact-sm" onClick={add} disabled={typed.trim() === ''}>
          {texts.add}
        </Button>
      }
      spellCheck={false}
      autoCapitalize="off"
    />
  );
}
