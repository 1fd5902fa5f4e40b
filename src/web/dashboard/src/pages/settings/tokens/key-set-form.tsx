import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { fieldErrors } from '../../../api/problem.ts';
import { api } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import styles from '../settings.module.css';
import { FormFoot, type KeyFormProps } from './key-form.tsx';

/** The key set of an identity provider, which can be fetched and looked at before it is saved. */
export function KeySetForm({ onBack, onSubmit, isPending, error }: KeyFormProps) {
  const { signingKeys: texts } = useTexts().settings;
  const form = useForm({ initialValues: { jwksUrl: '', issuer: '', audience: '' } });
  const faults = fieldErrors(error);
  const projectId = useProjectId();
  const test = useMutation({
    mutationFn: (jwksUrl: string) =>
      api.post('/projects/{projectId}/signing-keys/test', { path: { projectId }, body: { jwksUrl } }),
  });
  const testFaults = fieldErrors(test.error);
  return (
    <form
      className={styles.dialogForm}
      onSubmit={form.onSubmit(({ jwksUrl, issuer, audience }) =>
        onSubmit({
          jwksUrl: jwksUrl.trim(),
          issuer: issuer.trim(),
          ...(audience.trim() !== '' && { audience: audience.trim() }),
        }),
      )}
    >
      {error && Object.keys(faults).length === 0 && <ProblemNotice error={error} />}
      <div className={styles.adder}>
        <TextInput
          label={texts.jwksUrl}
          description={texts.jwksHint}
          placeholder="https://login.example.com/.well-known/jwks.json"
          required
          inputMode="url"
          spellCheck={false}
          {...form.getInputProps('jwksUrl')}
          error={faults.jwksUrl ?? testFaults.jwksUrl}
        />
        <Button
          variant="default"
          loading={test.isPending}
          disabled={form.values.jwksUrl.trim() === ''}
          onClick={() => test.mutate(form.values.jwksUrl.trim())}
        >
          {test.isIdle ? texts.test : texts.testAgain}
        </Button>
      </div>
      {test.isError && testFaults.jwksUrl === undefined && <ProblemNotice error={test.error} />}
      {test.data && <FoundKeys keys={test.data.keys} />}
      <TextInput
        label={texts.issuerField}
        description={texts.issuerHint}
        placeholder="https://login.example.com/"
        required
        spellCheck={false}
        {...form.getInputProps('issuer')}
        error={faults.issuer}
      />
      <TextInput
        label={texts.audience}
        description={texts.audienceHint}
        spellCheck={false}
        {...form.getInputProps('audience')}
        error={faults.audience}
      />
      <FormFoot onBack={onBack} isPending={isPending} />
    </form>
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
