import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Provider } from '../../api/catalog.ts';
import { request, type Tagged } from '../../api/client.ts';
import { ApiError, statusOf } from '../../api/problem.ts';
import { refresh } from '../../api/queries.ts';
import { useCanEdit, useRole } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import { showDone } from '../../ui/toasts.tsx';
import {
  changeOf,
  type DescriptionForm,
  EMPTY_DESCRIPTION,
  fieldOf,
  toDescription,
  toForm,
} from './description.ts';
import { DescriptionFields } from './description-fields.tsx';
import { DryRunSection, useDryRun } from './dry-run.tsx';
import { ProviderActions } from './provider-actions.tsx';
import styles from './providers.module.css';

const TYPING_PAUSE_MS = 350;
const PATHS_OF_PROVIDER = ['/catalog', '/providers', '/providers/{provider}'] as const;

type EditorProps = {
  readonly projectId: string;
  /** Undefined for a new one. */
  readonly tagged: Tagged<Provider> | undefined;
};

/** The form of a provider of one's own, and beside it what would be sent. */
export function CustomProviderEditor({ projectId, tagged }: EditorProps) {
  const { customProviders: texts } = useTexts().integrations;
  const role = useRole(projectId);
  const canEdit = useCanEdit(projectId);
  const provider = tagged?.value;
  const form = useForm<DescriptionForm>({
    initialValues: provider ? toForm(provider.definition ?? {}, provider) : EMPTY_DESCRIPTION,
  });
  const [typed] = useDebouncedValue(form.values, TYPING_PAUSE_MS);
  const description = useMemo(() => toDescription(typed), [typed]);
  const dryRun = useDryRun(projectId, canEdit ? description : undefined);
  const faults = faultsOf(
    dryRun.error,
    typed.more !== '' && description === undefined ? texts.moreFault : undefined,
  );
  const save = useSave(projectId, tagged);
  const shownForm = { ...form, getInputProps: withFaults(form, faults) };
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
          <form
            className={styles.form}
            onSubmit={form.onSubmit((values) => {
              const whole = toDescription(values);
              if (whole !== undefined) save.mutate(whole);
            })}
          >
            {role === 'viewer' && <Notice tone="info" title={texts.readOnly} />}
            <DescriptionFields form={shownForm} isNew={provider === undefined} isReadOnly={!canEdit} />
            {statusOf(save.error) === 412 ? (
              <Notice tone="warning" title={texts.conflictText} isAlert />
            ) : (
              <ProblemNotice error={save.error} />
            )}
            {canEdit && (
              <div>
                <Button type="submit" loading={save.isPending}>
                  {provider ? texts.save : texts.createSubmit}
                </Button>
              </div>
            )}
          </form>
        </Section>
        {canEdit && <DryRunSection query={dryRun} />}
      </div>
    </>
  );
}

type Faults = Readonly<Partial<Record<keyof DescriptionForm, string>>>;

/** The faults of the description beside the fields that they belong to, while the operator types. */
function faultsOf(error: unknown, moreFault: string | undefined): Faults {
  if (moreFault !== undefined) return { more: moreFault };
  const errors = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  const faults: Partial<Record<keyof DescriptionForm, string>> = {};
  for (const { path, message } of errors) {
    const field = fieldOf(path);
    const named = field === 'more' ? `${path.replace(/^body\.?/, '')}: ${message}` : message;
    faults[field] = [faults[field], named].filter(Boolean).join('\n');
  }
  return faults;
}

type Form = ReturnType<typeof useForm<DescriptionForm>>;

/** A field that is still empty is not called faulty before it was touched. */
function withFaults(form: Form, faults: Faults): Form['getInputProps'] {
  return (path, options) => {
    const props = form.getInputProps(path, options);
    const field = Object.keys(form.values).find((name): name is keyof DescriptionForm => name === path);
    const fault = field && (form.values[field] !== '' ? faults[field] : undefined);
    return { ...props, error: fault ?? (field === 'more' ? faults.more : undefined) ?? props.error };
  };
}

function useSave(projectId: string, tagged: Tagged<Provider> | undefined) {
  const { common } = useTexts();
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (description: Record<string, unknown>) =>
      tagged === undefined
        ? request<Provider>('POST', '/providers', { body: { ...description, projectId } })
        : request<Provider>('PATCH', '/providers/{provider}', {
            path: { provider: tagged.value.id },
            query: { projectId },
            header: { 'If-Match': tagged.etag },
            body: changeOf(tagged.value.definition ?? {}, description),
          }),
    onSuccess: async ({ id }) => {
      showDone(common.saved);
      await navigate({ to: '/providers/custom/$provider', params: { provider: id }, search: { projectId } });
      await refresh(client, ...PATHS_OF_PROVIDER);
    },
  });
}
