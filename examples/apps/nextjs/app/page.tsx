import { findUser } from '../lib/session';
import { readSetting } from '../lib/settings';
import { Account } from './account';
import { signIn, signOut } from './actions';

export default async function Page() {
  const user = await findUser();
  if (user === undefined) {
    return (
      // Stands for your own sign-in.
      <form action={signIn}>
        <h1>Who are you?</h1>
        <button name="user" value="user-ada">
          Sign in as Ada
        </button>
        <button name="user" value="user-ben">
          Sign in as Ben
        </button>
      </form>
    );
  }
  return (
    <>
      <form action={signOut}>
        {user.name} <button>Sign out</button>
      </form>
      <Account
        gatewayUrl={readSetting('GATEWAY_URL')}
        projectId={readSetting('PROJECT_ID')}
        provider={readSetting('PROVIDER')}
      />
    </>
  );
}
