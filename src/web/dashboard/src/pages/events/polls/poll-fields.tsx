import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useTexts } from '../../../texts/texts.tsx';
import { type Form, listOptions } from '../../../ui/form.ts';
import { MissingScopes } from './missing-scopes.tsx';
import { CUSTOM, chooseResource, type PollValues } from './poll-values.ts';
import type { Resource } from './resources.ts';

type PollFieldsProps = {
  readonly form: Form<PollValues>;
  readonly options: { value: string; label: string }[];
  readonly resources: readonly Resource[] | undefined;
};

/** The fields of a new poll: whose, of what, how often. */
export function PollFields({ form, options, resources }: PollFieldsProps) {
  const { events } = useTexts();
  const texts = events.polls;
  const { name, isCustom, resource } = chooseResource(form.values, resources);
  return (
    <>
      <NativeSelect
        label={events.integration}
        data={options}
        data-autofocus
        {...form.getInputProps('integrationId')}
        onChange={({ currentTarget }) =>
          form.setValues({ integrationId: currentTarget.value, resource: '', parameters: {} })
        }
      />
      <NativeSelect
        label={texts.resource}
        description={resources?.length === 0 ? texts.noneInCatalog : undefined}
        data={[
          ...(resources ?? []).map((each) => ({ value: each.name, label: each.title })),
          { value: CUSTOM, label: texts.custom },
        ]}
        disabled={resources === undefined}
        {...form.getInputProps('resource')}
        value={name}
        onChange={({ currentTarget }) => form.setValues({ resource: currentTarget.value, parameters: {} })}
      />
      {isCustom && resources && <CustomField form={form} resources={resources} />}
      <MissingScopes integrationId={form.values.integrationId} resource={resource} />
      {resource && <ParameterFields form={form} resource={resource} />}
      <NativeSelect
        label={texts.interval}
        data={listOptions(texts.intervals)}
        {...form.getInputProps('intervalSeconds')}
      />
      <Checkbox label={texts.backfill} {...form.getCheckboxProps('backfill')} />
      <DeletesField form={form} resource={resource} />
      {resource?.notes.map((note) => (
        <p key={note} className="soft small">
          {note}
        </p>
      ))}
    </>
  );
}

type ResourceProps = { readonly form: Form<PollValues>; readonly resource: Resource };

function ParameterFields({ form, resource }: ResourceProps) {
  const { polls: texts } = useTexts().events;
  const { parameters } = form.values;
  return Object.entries(resource.parameters).map(([name, { description, default: usual, example }]) => (
    <TextInput
      key={name}
      label={texts.parameter(name)}
      description={description}
      placeholder={usual ?? example ?? undefined}
      value={parameters[name] ?? ''}
      error={form.getError(`parameters.${name}`)}
      onChange={({ currentTarget }) =>
        form.setField('parameters', { ...parameters, [name]: currentTarget.value })
      }
    />
  ));
}

/** Whether records that are gone are looked for, where the provider does not list them by itself. */
function DeletesField({ form, resource }: Pick<ResourceProps, 'form'> & { resource: Resource | undefined }) {
  const { polls: texts } = useTexts().events;
  if (resource?.listsDeleted) return <p className="soft small">{texts.listsDeleted}</p>;
  if (resource?.canScan === false) return null;
  return <Checkbox label={texts.deletes} {...form.getCheckboxProps('scan')} />;
}

type CustomFieldProps = { readonly form: Form<PollValues>; readonly resources: readonly Resource[] };

/** The description of a resource as JSON, begun with one of the catalog's. */
function CustomField({ form, resources }: CustomFieldProps) {
  const { polls: texts } = useTexts().events;
  const take = (name: string) => {
    const found = resources.find((each) => each.name === name);
    if (found) form.setField('custom', JSON.stringify(found.definition, null, 2));
  };
  return (
    <>
      {resources.length > 0 && (
        <NativeSelect
          label={texts.takeFrom}
          data={['', ...resources.map(({ name }) => name)]}
          onChange={({ currentTarget }) => take(currentTarget.value)}
        />
      )}
      <Textarea
        label={texts.customResource}
        description={texts.customHint}
        rows={12}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mono)', fontSize: '0.8125rem' } }}
        {...form.getInputProps('custom')}
      />
    </>
  );
}
