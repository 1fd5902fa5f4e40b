import { useMe } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';

const OPERATOR_PREFIX = 'operator:';

/** How a user id reads: test users of operators by what they are, users of the application by their id. */
export function useUserName(): (userId: string) => string {
  const { connections } = useTexts();
  const me = useMe();
  return (userId) => {
    if (!userId.startsWith(OPERATOR_PREFIX)) return userId;
    return userId === `${OPERATOR_PREFIX}${me?.id}` ? connections.you : connections.operatorTestUser;
  };
}

/** Whether the connection was made by this operator to try something out. */
export function useIsOwnTest(userId: string | undefined): boolean {
  const me = useMe();
  return me !== undefined && userId === `${OPERATOR_PREFIX}${me.id}`;
}
