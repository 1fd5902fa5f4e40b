import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Provider } from '../../api/catalog.ts';
import { request, type Tagged } from '../../api/client.ts';
import { ApiError, faultLines, findStatus } from '../../api/problem.ts';
import { useCanEdit, useRole } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { FaultText } from '../../ui/fault-text.tsx';
import { type Form, useForm } from '../../ui/form.ts';
import { FormBody } from '../../ui/form-body.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { type Errors, placeFaults } from '../../ui/place-faults.ts';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import { useSave } from '../../ui/use-save.ts';
import { ContributeButton } from './contribute-button.tsx';
import {
  type DescriptionForm,
  describeChange,
  EMPTY_DESCRIPTION,
  FIELDS_BY_MEMBER,
  isObjectText,
  toDescription,
  toForm,
} from './description.ts';
import { DescriptionFields } from './description-fields.tsx';
import { DryRunSection, useDryRun } from './dry-run.tsx';
import { ProviderActions } from './provider-actions.tsx';
import styles from './providers.module.css';

const TYPING_PAUSE_MS = 350;
const FIELD_NAMES: ReadonlySet<string> = new Set(Object.keys(EMPTY_DESCRIPTION));
const PATHS_OF_PROVIDER = ['/catalog', '/providers', '/providers/{provider}'] as const;

type EditorProps = {
  readonly projectId: string;
  /** Undefined for a new one. */
  readonly tagged: Tagged<Provider> | undefined;
};

/** The form of a provider of one's own, and beside it what would be sent. */
export function CustomProviderEditor({ projectId, tagged }: EditorProps) {
  const { customProviders: texts } = useTexts().integrations;
  const canEdit = useCanEdit(projectId);
  const provider = tagged?.value;
  const form = useForm<DescriptionForm>({
    initialValues: provider ? toForm(provider.definition ?? {}, provider) : EMPTY_DESCRIPTION,
    rules: { more: (text) => (isObjectText(text) ? undefined : texts.moreFault) },
    fields: FIELDS_BY_MEMBER,
  });
  const [typed] = useDebouncedValue(form.values, TYPING_PAUSE_MS);
  const description = useMemo(() => toDescription(typed), [typed]);
  const dryRun = useDryRun(projectId, canEdit ? description : undefined);
  const faults = description === undefined ? { more: texts.moreFault } : collectFaults(dryRun.error);
  return (
    <>
      <PageHead
        title={provider?.name ?? texts.newTitle}
        parent={{ label: texts.parent, link: { to: '/providers/custom' } }}
        state={provider && <ProviderLogo id={provider.id} logoUrl={provider.logoUrl} size={30} />}
        meta={provider && <code>{provider.id}</code>}
        actions={provider && canEdit && <ProviderActions projectId={projectId} provider={provider} />}
      />
      <div className={styles.columns}>
        <Section title={texts.basics}>
          <DescriptionEditor projectId={projectId} tagged={tagged} form={form} faults={faults} />
        </Section>
        {canEdit && (
          <DryRunSection query={dryRun} isReadable={description !== undefined}>
            {description && <ContributeButton projectId={projectId} description={description} />}
          </DryRunSection>
        )}
      </div>
    </>
  );
}

type DescriptionEditorProps = EditorProps & { readonly form: Form<DescriptionForm>; readonly faults: Errors };

function DescriptionEditor({ projectId, tagged, form, faults }: DescriptionEditorProps) {
  const { customProviders: texts } = useTexts().integrations;
  const role = useRole(projectId);
  const canEdit = useCanEdit(projectId);
  const save = useSaveDescription(projectId, tagged, form);
  const fields = (
    <>
      {role === 'viewer' && <Notice tone="info" title={texts.readOnly} />}
      <DescriptionFields
        form={{ ...form, getInputProps: withFaults(form, faults) }}
        isNew={tagged === undefined}
        isReadOnly={!canEdit}
      />
    </>
  );
  if (!canEdit) return <div className={styles.form}>{fields}</div>;
  return (
    <FormBody
      className={styles.form}
      save={save}
      onSubmit={form.onSubmit(save.mutate)}
      submit={tagged ? texts.save : texts.createSubmit}
      notice={
        findStatus(save.error) === 412 ? (
          <Notice tone="warning" title={texts.conflictText} isAlert />
        ) : undefined
      }
    >
      {fields}
    </FormBody>
  );
}

/** The faults of a description beside the fields that they belong to; what has no field stands beside the JSON. */
function collectFaults(error: unknown): Errors {
  const { errors, problem } = placeFaults(error, FIELDS_BY_MEMBER, FIELD_NAMES);
  if (!(problem instanceof ApiError)) return errors;
  const others = [errors.more, ...faultLines(problem.problem)].filter(Boolean);
  return others.length === 0 ? errors : { ...errors, more: others.join('\n') };
}

/** A field that is still empty is not called faulty before it was touched. */
function withFaults(form: Form<DescriptionForm>, faults: Errors): Form<DescriptionForm>['getInputProps'] {
  return (name) => {
    const props = form.getInputProps(name);
    const fault = form.values[name] !== '' || name === 'more' ? faults[name] : undefined;
    return { ...props, error: fault === undefined ? props.error : <FaultText text={fault} /> };
  };
}

function useSaveDescription(
  projectId: string,
  tagged: Tagged<Provider> | undefined,
  form: Form<DescriptionForm>,
) {
  const { common } = useTexts();
  const navigate = useNavigate();
  return useSave({
    send: (values: DescriptionForm) => {
      const description = toDescription(values) ?? {};
      if (tagged === undefined)
        return request<Provider>('POST', '/providers', { body: { ...description, projectId } });
      return request<Provider>('PATCH', '/providers/{provider}', {
        path: { provider: tagged.value.id },
        query: { projectId },
        header: { 'If-Match': tagged.etag },
        body: describeChange(tagged.value.definition ?? {}, description),
      });
    },
    form,
    done: common.saved,
    onDone: ({ id }) =>
      navigate({ to: '/providers/custom/$provider', params: { provider: id }, search: { projectId } }),
    refresh: PATHS_OF_PROVIDER,
  });
}
