import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, Input, NativeSelect, TextInput } from '@mantine/core';
import { useId } from 'react';
import type { Schema } from '../../../api/schemas.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { AddressesField, readAddresses } from '../../../ui/addresses-field.tsx';
import { type Form, listOptions } from '../../../ui/form.ts';
import styles from '../settings.module.css';
import { type ApiKeyScope, getScopes, isIncluded, type KeySet } from './key-sets.ts';

export type KeyValues = {
  readonly name: string;
  readonly set: KeySet;
  /** Of a set of one's own. */
  readonly scopes: readonly Schema<'ApiKeyScope'>[];
  readonly addresses: string;
};

/** The fields of members that the API calls otherwise. */
export const KEY_FIELDS = { allowedAddresses: 'addresses' } as const;

/** What the API calls the limits of a key. */
export function readLimits({ set, scopes, addresses }: KeyValues) {
  const chosen = set === 'custom' ? scopes : getScopes(set);
  return { scopes: [...chosen], allowedAddresses: readAddresses(addresses) };
}

/** Name, scopes and addresses of a key, new or known. */
export function KeyFields({ form }: { form: Form<KeyValues> }) {
  const { apiKeys: texts, members } = useTexts().settings;
  return (
    <>
      <TextInput
        label={members.name}
        description={texts.nameHint}
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <ScopeFields form={form} />
      <AddressesField
        label={texts.addresses}
        hint={texts.addressesHint}
        {...form.getInputProps('addresses')}
      />
    </>
  );
}

function ScopeFields({ form }: { form: Form<KeyValues> }) {
  const { apiKeys: texts } = useTexts().settings;
  const { set } = form.values;
  // One's own set begins with what was chosen before.
  const choose = (chosen: KeySet) => {
    const isOwn = chosen === 'custom' && set !== 'custom' && set !== 'everything';
    form.setValues({ set: chosen, ...(isOwn && { scopes: getScopes(set) }) });
  };
  return (
    <>
      <NativeSelect
        label={texts.mayDo}
        description={texts.setTexts[set]}
        data={listOptions(texts.sets)}
        value={set}
        onChange={({ currentTarget: { value } }) => {
          const chosen = KEY_SETS.find((name) => name === value);
          if (chosen !== undefined) choose(chosen);
        }}
      />
      {set === 'custom' && <ScopeBoxes form={form} />}
    </>
  );
}

const KEY_SETS: readonly KeySet[] = ['everything', 'backend', 'readOnly', 'events', 'custom'];

function ScopeBoxes({ form }: { form: Form<KeyValues> }) {
  const { apiKeys: texts } = useTexts().settings;
  const errorId = useId();
  const { scopes: chosen } = form.values;
  const error = form.getError('scopes');
  const mark = (scope: ApiKeyScope, isMarked: boolean) => {
    const others = chosen.filter((name) => name !== scope);
    form.setField('scopes', isMarked ? [...others, scope] : others);
  };
  return (
    <fieldset className={styles.scopes} aria-describedby={error === undefined ? undefined : errorId}>
      <legend>{texts.scopesTitle}</legend>
      {listScopes(texts.scopes).map((scope) => (
        <Checkbox
          key={scope}
          label={<code>{scope}</code>}
          description={texts.scopes[scope]}
          checked={chosen.includes(scope) || isIncluded(scope, chosen)}
          disabled={isIncluded(scope, chosen)}
          onChange={({ currentTarget }) => mark(scope, currentTarget.checked)}
        />
      ))}
      {error !== undefined && (
        <Input.Error id={errorId} role="alert">
          {error}
        </Input.Error>
      )}
    </fieldset>
  );
}

/** Of a key's scopes those that this page describes: a newer gateway may have more. */
export function listKnownScopes(
  described: Readonly<Record<ApiKeyScope, string>>,
  held: readonly string[],
): ApiKeyScope[] {
  return listScopes(described).filter((scope) => held.includes(scope));
}

/** In the order in which they are described. */
function listScopes(described: Readonly<Record<ApiKeyScope, string>>): ApiKeyScope[] {
  const isScope = (name: string): name is ApiKeyScope => Object.hasOwn(described, name);
  return Object.keys(described).filter(isScope);
}
