import { Button } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/queries.ts';
import type { Schema } from '../../api/schemas.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { useSave } from '../../ui/use-save.ts';
import styles from './providers.module.css';
import { makeSource, SourceFields, type SourceValues } from './source-fields.tsx';

type Files = Schema<'ProviderFiles'>;

const SOURCES_MAX = 20;

type ContributeDialogProps = {
  readonly projectId: string;
  readonly description: Readonly<Record<string, unknown>>;
  readonly onClose: () => void;
};

/** Asks where the facts were found, and gives the provider file and its test. */
export function ContributeDialog({ projectId, description, onClose }: ContributeDialogProps) {
  const { contribute: texts } = useTexts().integrations.customProviders;
  const [files, setFiles] = useState<Files>();
  const form = useForm<{ sources: readonly SourceValues[] }>({ initialValues: { sources: [makeSource()] } });
  const { sources } = form.values;
  const save = useSave({
    send: (values: typeof form.values) =>
      api.post('/provider-files', {
        body: { projectId, description, sources: values.sources.map(describeSource) },
      }),
    form,
    onDone: setFiles,
  });
  if (files !== undefined) return <FilesDialog files={files} onClose={onClose} />;
  return (
    <DialogForm
      title={texts.title}
      size="lg"
      onClose={onClose}
      save={save}
      onSubmit={form.onSubmit(save.mutate)}
      submit={texts.make}
      actions={
        sources.length < SOURCES_MAX && (
          <Button variant="subtle" onClick={() => form.setField('sources', [...sources, makeSource()])}>
            {texts.another}
          </Button>
        )
      }
    >
      <p className="soft">{texts.sourcesLead}</p>
      {sources.map((source, index) => (
        <SourceFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a source has no name but its place
          key={index}
          place={index}
          source={source}
          getError={(member) => form.getError(`sources.${index}.${member}`)}
          onChange={(changed) => form.setField('sources', sources.with(index, changed))}
        />
      ))}
    </DialogForm>
  );
}

function describeSource({ from, says, date, isVendor }: SourceValues) {
  return { from: from.trim(), says: [...says], date, ...(isVendor && { by: 'vendor' as const }) };
}

function FilesDialog({ files, onClose }: { readonly files: Files; readonly onClose: () => void }) {
  const { contribute: texts, providerEvidence } = useFileTexts();
  return (
    <Dialog title={texts.filesTitle} size="xl" onClose={onClose}>
      <p>{texts.filesLead}</p>
      <p className="soft small">
        {texts.evidence} {providerEvidence(files.evidence)}
      </p>
      {[files.provider, files.test].map(({ path, content }) => (
        <div key={path} className={styles.file}>
          <h3>
            <code>{path}</code>
          </h3>
          <CodeBlock code={content} label={path} />
          <Button
            component="a"
            variant="default"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(content)}`}
            download={path.slice(path.lastIndexOf('/') + 1)}
          >
            {texts.download(path.slice(path.lastIndexOf('/') + 1))}
          </Button>
        </div>
      ))}
      {files.notes.map((note) => (
        <p key={note} className="soft small">
          {note}
        </p>
      ))}
    </Dialog>
  );
}

/** How far the sources confirm the facts, in the words of this page. */
function useFileTexts() {
  const { contribute } = useTexts().integrations.customProviders;
  const labels: Readonly<Record<string, string>> = contribute.evidences;
  return { contribute, providerEvidence: (evidence: string) => labels[evidence] ?? evidence };
}
