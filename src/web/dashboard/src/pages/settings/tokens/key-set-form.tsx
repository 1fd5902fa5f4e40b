import { Button, TextInput } from '@mantine/core';
import { api } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { type Form, useForm } from '../../../ui/form.ts';
import { FormBody } from '../../../ui/form-body.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { useSave } from '../../../ui/use-save.ts';
import styles from '../settings.module.css';
import { type KeyFormProps, useAddKey } from './use-add-key.ts';

type Values = { jwksUrl: string; issuer: string; audience: string };

/** The key set of an identity provider, which can be fetched and looked at before it is saved. */
export function KeySetForm({ onBack, onClose }: KeyFormProps) {
  const { settings, common } = useTexts();
  const { signingKeys: texts } = settings;
  const form = useForm<Values>({ initialValues: { jwksUrl: '', issuer: '', audience: '' } });
  const add = useAddKey({
    form,
    buildBody: ({ jwksUrl, issuer, audience }) => ({
      jwksUrl: jwksUrl.trim(),
      issuer: issuer.trim(),
      ...(audience.trim() !== '' && { audience: audience.trim() }),
    }),
    onClose,
  });
  return (
    <FormBody
      save={add}
      onSubmit={form.onSubmit(add.mutate)}
      submit={texts.save}
      onCancel={onBack}
      cancel={common.back}
    >
      <AddressField form={form} />
      <TextInput
        label={texts.issuerField}
        description={texts.issuerHint}
        placeholder="https://login.example.com/"
        required
        spellCheck={false}
        {...form.getInputProps('issuer')}
      />
      <TextInput
        label={texts.audience}
        description={texts.audienceHint}
        spellCheck={false}
        {...form.getInputProps('audience')}
      />
    </FormBody>
  );
}

/** The address of the key set, with a button that fetches it and shows what it holds. */
function AddressField({ form }: { form: Form<Values> }) {
  const { signingKeys: texts } = useTexts().settings;
  const projectId = useProjectId();
  const test = useSave({
    send: (jwksUrl: string) =>
      api.post('/projects/{projectId}/signing-keys/test', { path: { projectId }, body: { jwksUrl } }),
    form,
  });
  const jwksUrl = form.values.jwksUrl.trim();
  return (
    <>
      <div className={styles.adder}>
        <TextInput
          label={texts.jwksUrl}
          description={texts.jwksHint}
          placeholder="https://login.example.com/.well-known/jwks.json"
          required
          inputMode="url"
          spellCheck={false}
          {...form.getInputProps('jwksUrl')}
        />
        <Button
          variant="default"
          loading={test.isPending}
          disabled={jwksUrl === ''}
          onClick={() => test.mutate(jwksUrl)}
        >
          {test.isIdle ? texts.test : texts.testAgain}
        </Button>
      </div>
      {test.data && <FoundKeys keys={test.data.keys} />}
    </>
  );
}

type KeyFacts = Schema<'KeySetFacts'>['keys'][number];

function FoundKeys({ keys }: { keys: readonly KeyFacts[] }) {
  const { signingKeys: texts } = useTexts().settings;
  const usable = keys.filter(({ fault }) => fault === null).length;
  return (
    <div className={styles.found} role="status">
      <p>{keys.length === 0 ? texts.testFoundNone : texts.testFound({ usable, count: keys.length })}</p>
      <ul>
        {keys.map(({ kid, alg, fault }) => (
          <li key={`${kid} ${alg} ${fault}`}>
            <StateBadge tone={fault === null ? 'good' : 'neutral'}>
              {fault === null ? texts.usable : texts.notUsable}
            </StateBadge>
            <code>{kid ?? texts.noKid}</code>
            <span className="soft">{alg}</span>
            {fault !== null && <small>{fault}</small>}
          </li>
        ))}
      </ul>
    </div>
  );
}
