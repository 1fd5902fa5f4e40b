import { useMe } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Bars } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page.tsx';
import { OwnInvitations } from './own-invitations.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { TokensSection } from './tokens-section.tsx';

/** `/me`: the operator's own account. */
export function MePage() {
  const { me: texts } = useTexts();
  const me = useMe();
  return (
    <>
      <PageHead title={texts.title} lead={me?.email} />
      {me === undefined ? (
        <Bars rows={8} />
      ) : (
        <>
          <OwnInvitations />
          <ProfileSection me={me} />
          <PasswordSection me={me} />
          <SecondFactorSection me={me} />
          <SessionsSection />
          <TokensSection me={me} />
        </>
      )}
    </>
  );
}
