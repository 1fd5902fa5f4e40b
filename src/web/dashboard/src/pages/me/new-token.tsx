import { useState } from 'react';
import { api } from '../../api/queries.ts';
import { useMe } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CredentialForm } from '../../ui/credential-form.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { MadeToken } from './made-token.tsx';

/** The one that is chosen at first comes first. */
const LIFETIMES_DAYS = [90, 30, 365] as const;

/** Makes a token and shows it this once; it is held by this component alone. */
export function NewTokenDialog({ onDone }: { onDone: () => void }) {
  const { me: texts, 'sign-in': signIn } = useTexts();
  const me = useMe();
  const [token, setToken] = useState<string>();
  return (
    <Dialog onClose={onDone} title={texts.createToken}>
      {token !== undefined ? (
        <MadeToken token={token} onDone={onDone} />
      ) : (
        <CredentialForm
          words={{
            name: texts.tokenName,
            nameHint: texts.tokenNameHint,
            expires: texts.expires,
            submit: texts.createToken,
            addresses: texts.addresses,
            addressesHint: texts.addressesHint,
            password: me?.hasPassword ? texts.currentPassword : undefined,
            showPassword: signIn.showPassword,
          }}
          lifetimes={LIFETIMES_DAYS.map((days) => ({ days, label: texts.days(days) }))}
          send={({ allowedAddresses: ranges, ...made }) => {
            const body = { ...made, ...(ranges && { allowedAddresses: [...ranges] }) };
            return api.post('/personal-access-tokens', { body });
          }}
          refresh={['/personal-access-tokens']}
          onMade={(made) => setToken(made.token)}
          onCancel={onDone}
        />
      )}
    </Dialog>
  );
}
