import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { fieldErrors } from '../../api/problem.ts';
import { api, apiQuery, refresh } from '../../api/queries.ts';
import { useMe } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useForm } from '../../ui/form.ts';
import { Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { Time } from '../../ui/time.tsx';
import { showProblem } from '../../ui/toasts.tsx';
import uiStyles from '../../ui/ui.module.css';

/** Owners of the gateway, for one of them. */
export function OwnersSection() {
  const { gateway: texts } = useTexts();
  const query = useQuery(apiQuery('/gateway/owners'));
  return (
    <Section title={texts.owners} lead={texts.ownersLead} flush>
      <Loaded query={query}>
        {({ owners }) => (
          <Table
            bare
            label={texts.owners}
            rows={owners}
            rowKey={({ operatorId }) => operatorId}
            columns={[
              { key: 'email', header: texts.ownerEmail, render: ({ email }) => email },
              {
                key: 'since',
                header: texts.ownerSince,
                render: ({ since }) => <Time at={since} />,
                wide: true,
              },
              {
                key: 'actions',
                header: '',
                align: 'end',
                render: ({ operatorId, email }) =>
                  owners.length > 1 && <RemoveOwner operatorId={operatorId} email={email} />,
              },
            ]}
          />
        )}
      </Loaded>
      <AddOwner />
    </Section>
  );
}

function RemoveOwner({ operatorId, email }: { operatorId: string; email: string }) {
  const texts = useTexts();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.delete('/gateway/owners/{operatorId}', { path: { operatorId } }),
    onSuccess: () => refresh(client, '/gateway/owners', '/gateway', '/operators/me'),
    onError: (error) => showProblem(error, texts),
  });
  const label = texts.gateway.removeOwner;
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`${label}: ${email}`}
      loading={remove.isPending}
      onClick={() => remove.mutate()}
    >
      {label}
    </Button>
  );
}

function AddOwner() {
  const { gateway: texts } = useTexts();
  const me = useMe();
  const client = useQueryClient();
  const form = useForm({ initialValues: { email: '', password: '' } });
  const add = useMutation({
    mutationFn: ({ email, password }: typeof form.values) =>
      api.post('/gateway/owners', { body: { email, ...(me?.hasPassword && { password }) } }),
    onSuccess: async () => {
      form.reset();
      await refresh(client, '/gateway/owners');
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form
      className={`${uiStyles.sectionBody} ${uiStyles.credentialForm}`}
      onSubmit={form.onSubmit((values) => add.mutate(values))}
    >
      {add.isError && Object.keys(form.errors).length === 0 && <ProblemNotice error={add.error} />}
      <TextInput
        type="email"
        label={texts.ownerEmail}
        autoComplete="off"
        required
        {...form.getInputProps('email')}
      />
      {me?.hasPassword && (
        <PasswordInput
          label={texts.ownPassword}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': texts.showPassword }}
          required
          {...form.getInputProps('password')}
        />
      )}
      <div>
        <Button type="submit" variant="default" loading={add.isPending}>
          {texts.addOwner}
        </Button>
      </div>
    </form>
  );
}
