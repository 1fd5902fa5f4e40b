import { Button, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { fieldErrors } from '../../../api/problem.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Facts, Section } from '../../../ui/page.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { showDone } from '../../../ui/toasts.tsx';
import styles from '../settings.module.css';
import { type Project, useChangeProject, useProject } from '../use-project.ts';
import { BrandingPreview } from './branding-preview.tsx';
import type { BrandingValues } from './branding-values.ts';
import { ColorAdvice, isColor } from './color-advice.tsx';

/** Name, logo and colour of the hosted pages, beside the page itself. */
export function BrandingSection() {
  return (
    <Loaded query={useProject()}>
      {(project) => <Branding key={JSON.stringify(project.branding)} project={project} />}
    </Loaded>
  );
}

function Branding({ project }: { project: Project }) {
  const { settings } = useTexts();
  const { branding: texts } = settings;
  const canEdit = useCanEdit(project.id);
  const { displayName = '', logoUrl = '', color = '' } = project.branding;
  const form = useForm<BrandingValues>({
    initialValues: { displayName, logoUrl, color },
    validate: { color: (value) => (value === '' || isColor(value) ? null : texts.colorInvalid) },
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

type FormProps = { readonly project: Project; readonly form: UseFormReturnType<BrandingValues> };

function BrandingForm({ project, form }: FormProps) {
  const { settings, common } = useTexts();
  const { branding: texts } = settings;
  const change = useChangeProject(() => showDone(common.saved));
  const save = (values: BrandingValues) => {
    const filled = Object.entries(values).filter(([, value]) => value.trim() !== '');
    change.mutate(() => ({ branding: Object.fromEntries(filled) }), {
      onError: (error) => form.setErrors(withoutPrefix(fieldErrors(error))),
    });
  };
  return (
    <form className={styles.form} onSubmit={form.onSubmit(save)}>
      {change.isError && Object.keys(form.errors).length === 0 && <ProblemNotice error={change.error} />}
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
          value={isColor(form.values.color) ? form.values.color : '#3b49df'}
          onChange={(event) => form.setFieldValue('color', event.currentTarget.value)}
        />
      </div>
      {isColor(form.values.color) && <ColorAdvice color={form.values.color} />}
      <div className={styles.formFoot}>
        <Button type="submit" loading={change.isPending} disabled={!form.isDirty()}>
          {common.save}
        </Button>
        {form.isDirty() && <span className="soft small">{texts.unsaved}</span>}
      </div>
    </form>
  );
}

/** `branding.logoUrl` belongs to the field `logoUrl`. */
function withoutPrefix(faults: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(faults).map(([path, message]) => [path.replace(/^branding\./, ''), message]),
  );
}
