import '@mantine/core/styles/Notification.layer.css';
import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';

export { notifications } from '@mantine/notifications';
export { ProblemText } from './problem-text.tsx';

/** Where toasts appear; loaded with the first of them. */
export function ToastHost() {
  return <Notifications position="bottom-right" />;
}
