import { NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core';
import type { Provider } from '../../api/catalog.ts';
import { useTexts } from '../../texts/texts.tsx';
import type { Form } from '../../ui/form.ts';
import { type FormValues, hasClient } from './form-values.ts';
import styles from './integrations.module.css';

type AdvancedFieldsProps = {
  readonly provider: Provider;
  readonly form: Form<FormValues>;
  /** Secrets that there are, are rotated elsewhere. */
  readonly hasSecrets?: boolean;
};

/** What most integrations never need. */
export function AdvancedFields({ provider, form, hasSecrets = true }: AdvancedFieldsProps) {
  const { integrations } = useTexts();
  const texts = integrations.setUp;
  const isOAuth = hasClient(provider);
  const { alternatives, secretUse } = provider.webhooks;
  const isUsed = secretUse !== 'none' || form.values.webhookScheme !== '';
  const takesWebhookSecret = hasSecrets && isUsed;
  const isDescribable = provider.mcp === null;
  if (!isOAuth && !takesWebhookSecret && alternatives.length === 0 && !isDescribable) return null;
  return (
    <details className={styles.advanced}>
      <summary>{texts.advanced}</summary>
      <div className={styles.form}>
        {isOAuth && hasSecrets && (
          <TextInput
            type="date"
            label={texts.secretExpires}
            description={texts.secretExpiresHint}
            {...form.getInputProps('secretExpires')}
          />
        )}
        {takesWebhookSecret && (
          <PasswordInput
            label={texts.webhookSecret}
            description={texts.webhookSecretHint}
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': texts.showSecret }}
            {...form.getInputProps('webhookSecret')}
          />
        )}
        {alternatives.length > 0 && (
          <NativeSelect
            label={texts.webhookScheme}
            description={texts.webhookSchemeHint}
            data={[{ value: '', label: texts.webhookSchemeUsual }, ...alternatives]}
            {...form.getInputProps('webhookScheme')}
          />
        )}
        {provider.auth === 'oauth2' && (
          <Textarea
            label={texts.parameters}
            description={texts.parametersHint}
            placeholder="prompt=consent"
            minRows={2}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            {...form.getInputProps('parameters')}
          />
        )}
        {isDescribable && (
          <Textarea
            label={texts.documents}
            description={texts.documentsHint}
            placeholder="https://api.example.com/openapi.json"
            autosize
            minRows={1}
            maxRows={8}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            {...form.getInputProps('documents')}
          />
        )}
      </div>
    </details>
  );
}
