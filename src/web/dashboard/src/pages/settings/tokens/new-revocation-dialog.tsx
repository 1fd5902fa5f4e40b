import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { type Form, useForm } from '../../../ui/form.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useSave } from '../../../ui/use-save.ts';
import { WayChoice } from '../way-choice.tsx';

const KINDS = ['user', 'token', 'everyone'] as const;
type Kind = (typeof KINDS)[number];
type Values = { kind: Kind; userId: string; jti: string; issuedBefore: string };

type DialogProps = { readonly onClose: () => void; readonly userId: string };

/** Says what will happen before it does: to one user, to one token, or to everyone. */
export function NewRevocationDialog({ onClose, userId }: DialogProps) {
  const { revocations: texts } = useTexts().settings;
  const projectId = useProjectId();
  const [isSure, setSure] = useState(false);
  const form = useForm<Values>({
    initialValues: { kind: 'user', userId, jti: '', issuedBefore: '' },
    rules: {
      issuedBefore: (text) => (text !== '' && Date.parse(text) > Date.now() ? texts.future : undefined),
    },
  });
  const { kind } = form.values;
  const revoke = useSave({
    send: (values: Values) =>
      api.post('/projects/{projectId}/revocations', { path: { projectId }, body: buildBody(values) }),
    form,
    done: texts.done,
    onClose,
    refresh: ['/projects/{projectId}/revocations', '/activity'],
  });
  const submit = (values: Values) => {
    if (kind === 'everyone' && !isSure) setSure(true);
    else revoke.mutate(values);
  };
  return (
    <DialogForm
      title={texts.add}
      onClose={onClose}
      save={revoke}
      onSubmit={form.onSubmit(submit)}
      submit={texts.revoke}
      isDangerous
    >
      <WayChoice
        legend={texts.whose}
        ways={KINDS.map((value) => ({ value, title: texts.kinds[value] }))}
        value={kind}
        onChange={(value) => {
          setSure(false);
          form.setField('kind', value);
        }}
      />
      <RevocationFields form={form} />
      <p className="soft">
        {kind === 'user' ? texts.effect.user(form.values.userId || texts.effect.theUser) : texts.effect[kind]}
      </p>
      {isSure && kind === 'everyone' && (
        <Notice tone="warning" title={texts.confirmEveryone} isAlert>
          {texts.confirmEveryoneText}
        </Notice>
      )}
    </DialogForm>
  );
}

function RevocationFields({ form }: { form: Form<Values> }) {
  const { revocations: texts } = useTexts().settings;
  const { kind } = form.values;
  if (kind === 'token')
    return (
      <TextInput label={texts.jti} description={texts.jtiHint} required {...form.getInputProps('jti')} />
    );
  return (
    <>
      {kind === 'user' && (
        <TextInput
          label={texts.userId}
          description={texts.userIdHint}
          required
          {...form.getInputProps('userId')}
        />
      )}
      <TextInput
        type="datetime-local"
        step={1}
        label={texts.issuedBefore}
        description={texts.issuedBeforeHint}
        {...form.getInputProps('issuedBefore')}
      />
    </>
  );
}

function buildBody({ kind, userId, jti, issuedBefore }: Values) {
  if (kind === 'token') return { jti: jti.trim() };
  // The field is in the viewer's own time; the API takes UTC.
  const before = issuedBefore === '' ? {} : { issuedBefore: new Date(issuedBefore).toISOString() };
  return kind === 'user' ? { userId: userId.trim(), ...before } : { everyone: true as const, ...before };
}
