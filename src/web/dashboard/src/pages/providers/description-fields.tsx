import { Select, Textarea, TextInput } from '@mantine/core';
import { useTexts } from '../../texts/texts.tsx';
import type { Form } from '../../ui/form.ts';
import { type DescriptionForm, makeId } from './description.ts';
import styles from './providers.module.css';

type DescriptionFieldsProps = {
  readonly form: Form<DescriptionForm>;
  /** The id of a provider that there is stays. */
  readonly isNew: boolean;
  readonly isReadOnly: boolean;
};

/** The fields of a provider's description. */
export function DescriptionFields({ form, isNew, isReadOnly }: DescriptionFieldsProps) {
  const { integrations } = useTexts();
  const { customProviders: texts } = integrations;
  const { auth } = form.values;
  const isOAuth = auth === 'oauth2' || auth === 'oauth2-client-credentials';
  const shared = { readOnly: isReadOnly, spellCheck: false };
  return (
    <fieldset className={styles.form} disabled={isReadOnly}>
      <NameFields form={form} isNew={isNew} isReadOnly={isReadOnly} />
      <div className={styles.pair2}>
        <Choice
          form={form}
          name="auth"
          label={texts.auth}
          options={{ ...integrations.auth, mcp: texts.mcp }}
        />
        <Choice form={form} name="category" label={texts.category} options={integrations.categories} />
      </div>
      {auth === 'mcp' ? (
        <TextInput
          label={texts.mcpUrl}
          description={texts.mcpUrlHint}
          placeholder="https://mcp.acme.example/mcp"
          required
          {...shared}
          {...form.getInputProps('mcpUrl')}
        />
      ) : (
        <TextInput
          label={texts.apiBaseUrl}
          description={texts.apiBaseHint}
          placeholder="https://crm.acme.example/api"
          required
          {...shared}
          {...form.getInputProps('apiBaseUrl')}
        />
      )}
      {auth === 'oauth2' && (
        <TextInput
          label={texts.authorizationUrl}
          placeholder="https://crm.acme.example/oauth/authorize"
          required
          {...shared}
          {...form.getInputProps('authorizationUrl')}
        />
      )}
      {isOAuth && <OAuthFields form={form} />}
      {auth === 'api-key' && <ApiKeyFields form={form} />}
      <div className={styles.pair2}>
        <TextInput label={texts.docsUrl} {...shared} {...form.getInputProps('docsUrl')} />
        <TextInput label={texts.portalUrl} {...shared} {...form.getInputProps('portalUrl')} />
      </div>
      <Textarea
        label={texts.more}
        description={texts.moreHint}
        placeholder={'{ "revocationUrl": "https://crm.acme.example/oauth/revoke" }'}
        rows={5}
        classNames={{ input: 'mono' }}
        {...shared}
        {...form.getInputProps('more')}
      />
    </fieldset>
  );
}

/** The id of a new provider follows its name until another one is typed. */
function NameFields({ form, isNew, isReadOnly }: DescriptionFieldsProps) {
  const { customProviders: texts } = useTexts().integrations;
  const { name, id } = form.values;
  const shared = { readOnly: isReadOnly, spellCheck: false, required: true };
  const setName = (changed: string) => {
    const isFollowing = isNew && (id === '' || id === makeId(name));
    form.setValues({ name: changed, ...(isFollowing && { id: makeId(changed) }) });
  };
  return (
    <div className={styles.pair2}>
      <TextInput
        label={texts.name}
        {...shared}
        {...form.getInputProps('name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={texts.id}
        description={texts.idHint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        {...shared}
        disabled={!isNew}
        {...form.getInputProps('id')}
      />
    </div>
  );
}

function OAuthFields({ form }: { form: Form<DescriptionForm> }) {
  const { customProviders: texts } = useTexts().integrations;
  return (
    <>
      <TextInput
        label={texts.tokenUrl}
        placeholder="https://crm.acme.example/oauth/token"
        required
        spellCheck={false}
        {...form.getInputProps('tokenUrl')}
      />
      <div className={styles.pair2}>
        <TextInput
          label={texts.defaultScopes}
          description={texts.defaultScopesHint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          spellCheck={false}
          {...form.getInputProps('defaultScopes')}
        />
        <Choice form={form} name="scopeSeparator" label={texts.scopeSeparator} options={texts.separators} />
      </div>
      <div className={styles.pair2}>
        <Choice
          form={form}
          name="tokenEndpointAuth"
          label={texts.tokenEndpointAuth}
          options={texts.tokenEndpointAuths}
        />
        <Choice form={form} name="pkce" label={texts.pkce} options={texts.pkces} />
      </div>
    </>
  );
}

function ApiKeyFields({ form }: { form: Form<DescriptionForm> }) {
  const { customProviders: texts } = useTexts().integrations;
  return (
    <>
      <div className={styles.pair2}>
        <Choice form={form} name="apiKeyIn" label={texts.apiKeyIn} options={texts.apiKeyIns} />
        <TextInput
          label={texts.apiKeyName}
          required
          spellCheck={false}
          {...form.getInputProps('apiKeyName')}
        />
      </div>
      <TextInput
        label={texts.apiKeyTemplate}
        description={texts.apiKeyTemplateHint('{apiKey}')}
        required
        spellCheck={false}
        {...form.getInputProps('apiKeyTemplate')}
      />
    </>
  );
}

type ChoiceProps = {
  readonly form: Form<DescriptionForm>;
  readonly name: keyof DescriptionForm;
  readonly label: string;
  /** Value and name of each. */
  readonly options: Readonly<Record<string, string>>;
};

function Choice({ form, name, label, options }: ChoiceProps) {
  const data = Object.entries(options).map(([value, shown]) => ({ value, label: shown }));
  return (
    <Select
      label={label}
      data={data}
      allowDeselect={false}
      {...form.getInputProps(name)}
      onChange={(value) => value !== null && form.setChoice(name, value)}
    />
  );
}
