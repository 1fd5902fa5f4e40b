'use server';

import { redirect } from 'next/navigation';
import { endSession, startSession } from '../lib/session';

/** Next.js refuses server actions that come from another origin. */
export async function signIn(form: FormData): Promise<void> {
  await startSession(String(form.get('user')));
  redirect('/');
}

export async function signOut(): Promise<void> {
  await endSession();
  redirect('/');
}
