import { TextInput } from '@mantine/core';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { type Form, useForm } from '../../../ui/form.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { ManagedByFile } from '../../../ui/managed-by-file.tsx';
import { Facts, Section } from '../../../ui/page.tsx';
import styles from '../settings.module.css';
import { SettingsForm } from '../settings-form.tsx';
import { type Project, useEditProject, useProject } from '../use-project.ts';
import { BrandingPreview } from './branding-preview.tsx';
import type { BrandingValues } from './branding-values.ts';
import { ColorAdvice, isColor } from './color-advice.tsx';

const FIELDS_BY_MEMBER = {
  'branding.displayName': 'displayName',
  'branding.logoUrl': 'logoUrl',
  'branding.color': 'color',
} as const;

/** Name, logo and colour of the hosted pages, beside the page itself. */
export function BrandingSection() {
  return (
    <Loaded query={useProject()}>
      {(project) => (
        <>
          <ManagedByFile objectId={project.id} />
          <Branding key={JSON.stringify(project.branding)} project={project} />
        </>
      )}
    </Loaded>
  );
}

function readValues({ branding: { displayName = '', logoUrl = '', color = '' } }: Project): BrandingValues {
  return { displayName, logoUrl, color };
}

function Branding({ project }: { project: Project }) {
  const { settings } = useTexts();
  const { branding: texts } = settings;
  const canEdit = useCanEdit(project.id);
  const { displayName = '', logoUrl = '', color = '' } = project.branding;
  const form = useForm<BrandingValues>({
    initialValues: readValues(project),
    rules: { color: (value) => (value === '' || isColor(value) ? undefined : texts.colorInvalid) },
    fields: FIELDS_BY_MEMBER,
  });
  return (
    <div className={styles.two}>
      <Section title={settings.sections.branding} lead={texts.lead}>
        {canEdit ? (
          <BrandingForm project={project} form={form} />
        ) : (
          <Facts
            facts={[
              [texts.name, displayName || project.name],
              [texts.logo, logoUrl || '–'],
              [texts.color, color || '–'],
            ]}
          />
        )}
      </Section>
      <BrandingPreview project={project} values={form.values} />
    </div>
  );
}

type FormProps = { readonly project: Project; readonly form: Form<BrandingValues> };

function BrandingForm({ project, form }: FormProps) {
  const { settings, common } = useTexts();
  const { branding: texts } = settings;
  const save = useEditProject({
    read: readValues,
    write: (values) => {
      const filled = Object.entries(values).filter(([, value]) => value.trim() !== '');
      return { branding: Object.fromEntries(filled) };
    },
    form,
    done: common.saved,
  });
  return (
    <SettingsForm form={form} save={save} submit={common.save} hint={form.isDirty() && texts.unsaved}>
      <TextInput
        label={texts.name}
        description={texts.nameHint(project.name)}
        maxLength={100}
        {...form.getInputProps('displayName')}
      />
      <TextInput
        label={texts.logo}
        description={texts.logoHint}
        placeholder="https://app.example.com/logo.png"
        inputMode="url"
        spellCheck={false}
        {...form.getInputProps('logoUrl')}
      />
      <ColorField form={form} />
    </SettingsForm>
  );
}

function ColorField({ form }: Pick<FormProps, 'form'>) {
  const { branding: texts } = useTexts().settings;
  const { color } = form.values;
  return (
    <>
      <div className={styles.colorLine}>
        <TextInput
          label={texts.color}
          description={texts.colorHint}
          placeholder="#3b49df"
          maxLength={7}
          spellCheck={false}
          {...form.getInputProps('color')}
        />
        <input
          type="color"
          className={styles.picker}
          aria-label={texts.pickColor}
          value={isColor(color) ? color : '#3b49df'}
          onChange={(event) => form.setField('color', event.currentTarget.value)}
        />
      </div>
      {isColor(color) && <ColorAdvice color={color} />}
    </>
  );
}
