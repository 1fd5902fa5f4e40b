import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, apiQuery } from '../../api/queries.ts';
import { useMe } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CurrentPasswordInput } from '../../ui/current-password-input.tsx';
import { useForm } from '../../ui/form.ts';
import { FormBody } from '../../ui/form-body.tsx';
import { Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import uiStyles from '../../ui/ui.module.css';
import { useAction } from '../../ui/use-action.ts';
import { useSave } from '../../ui/use-save.ts';

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
  const { gateway: texts } = useTexts();
  const remove = useAction({
    send: () => api.delete('/gateway/owners/{operatorId}', { path: { operatorId } }),
    refresh: ['/gateway/owners', '/gateway', '/operators/me'],
  });
  const label = texts.removeOwner;
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
  const form = useForm({ initialValues: { email: '', password: '' } });
  const add = useSave({
    send: ({ email, password }: typeof form.values) =>
      api.post('/gateway/owners', { body: { email, ...(me?.hasPassword && { password }) } }),
    form,
    onDone: form.reset,
    refresh: ['/gateway/owners'],
  });
  return (
    <div className={uiStyles.sectionBody}>
      <FormBody save={add} onSubmit={form.onSubmit(add.mutate)} submit={texts.addOwner} isSecondary>
        <TextInput
          type="email"
          label={texts.ownerEmail}
          autoComplete="off"
          required
          {...form.getInputProps('email')}
        />
        {me?.hasPassword && (
          <CurrentPasswordInput
            label={texts.ownPassword}
            showPassword={texts.showPassword}
            {...form.getInputProps('password')}
          />
        )}
      </FormBody>
    </div>
  );
}
