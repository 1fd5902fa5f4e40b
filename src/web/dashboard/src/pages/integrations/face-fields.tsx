import { Button, TextInput } from '@mantine/core';
import type { ChangeEvent } from 'react';
import type { Provider } from '../../api/catalog.ts';
import { useTexts } from '../../texts/texts.tsx';
import type { Form } from '../../ui/form.ts';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import type { FormValues, Integration } from './form-values.ts';

/** What the API takes; it reads the format from the bytes. */
const LOGO_BYTES_MAX = 64 * 1024;
const LOGO_TYPES = 'image/png,image/jpeg,image/webp';

type FaceFieldsProps = {
  readonly integration: Integration;
  readonly provider: Provider;
  readonly form: Form<FormValues>;
};

/** Name and logo that end users see in place of the provider's. */
export function FaceFields({ integration, provider, form }: FaceFieldsProps) {
  const { face: texts } = useTexts().integrations;
  const { logo, hasLargeLogo } = form.values;
  const shown = logo === null ? null : integration.logoUrl;

  const choose = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? [];
    if (file === undefined) return form.setValues({ logo: undefined, hasLargeLogo: false });
    if (file.size > LOGO_BYTES_MAX) return form.setValues({ logo: undefined, hasLargeLogo: true });
    form.setValues({ logo: await readBase64(file), hasLargeLogo: false });
  };

  return (
    <>
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        placeholder={provider.name}
        maxLength={80}
        {...form.getInputProps('name')}
      />
      <TextInput
        type="file"
        accept={LOGO_TYPES}
        label={texts.logo}
        description={texts.logoHint}
        error={hasLargeLogo ? texts.logoTooLarge : form.getError('logo')}
        onChange={choose}
        leftSection={<ProviderLogo id={provider.id} size={20} logoUrl={shown ?? provider.logoUrl} />}
      />
      {integration.logoUrl !== null && logo === undefined && (
        <div>
          <Button variant="default" size="compact-sm" onClick={() => form.setField('logo', null)}>
            {texts.removeLogo}
          </Button>
        </div>
      )}
    </>
  );
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, '')));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(file);
  });
}
