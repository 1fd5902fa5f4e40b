import { useState } from 'react';
import { useTexts } from '../../../texts/texts.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { useForm } from '../../../ui/form.ts';
import { FormBody } from '../../../ui/form-body.tsx';
import { WayChoice } from '../way-choice.tsx';
import { KeySetForm } from './key-set-form.tsx';
import { PublicKeyForm } from './public-key-form.tsx';
import { type KeyFormProps, useAddKey } from './use-add-key.ts';

const WAYS = ['managed', 'public_key', 'jwks'] as const;
type Way = (typeof WAYS)[number];

type DialogProps = {
  readonly onClose: () => void;
  /** The project has a key that the gateway holds. */
  readonly hasManaged: boolean;
};

/** Asks where user tokens come from, and then for what that way needs. */
export function NewSigningKeyDialog({ onClose, hasManaged }: DialogProps) {
  const { signingKeys: texts } = useTexts().settings;
  const [way, setWay] = useState<Way>(hasManaged ? 'public_key' : 'managed');
  const [isChosen, setChosen] = useState(false);
  const step = { onClose, onBack: () => setChosen(false) };
  return (
    <Dialog onClose={onClose} title={texts.wizardTitle} size="lg">
      {!isChosen && (
        <FormBody
          save={{ isPending: false, problem: undefined }}
          onSubmit={(event) => {
            event.preventDefault();
            setChosen(true);
          }}
          submit={texts.next}
          onCancel={onClose}
        >
          <WayChoice
            legend={texts.way}
            ways={WAYS.map((value) => ({ value, ...texts.ways[value] }))}
            value={way}
            onChange={setWay}
          />
        </FormBody>
      )}
      {isChosen && way === 'public_key' && <PublicKeyForm {...step} />}
      {isChosen && way === 'jwks' && <KeySetForm {...step} />}
      {isChosen && way === 'managed' && <ManagedKeyForm {...step} hasManaged={hasManaged} />}
    </Dialog>
  );
}

type ManagedKeyFormProps = KeyFormProps & Pick<DialogProps, 'hasManaged'>;

function ManagedKeyForm({ onBack, onClose, hasManaged }: ManagedKeyFormProps) {
  const { settings, common } = useTexts();
  const { signingKeys: texts } = settings;
  const form = useForm({ initialValues: {} });
  const add = useAddKey({ form, buildBody: () => ({ managed: true }), onClose });
  return (
    <FormBody
      save={add}
      onSubmit={form.onSubmit(add.mutate)}
      submit={texts.save}
      onCancel={onBack}
      cancel={common.back}
    >
      <p>{texts.managedText}</p>
      {hasManaged && <p className="soft">{texts.managedFirst}</p>}
    </FormBody>
  );
}
