import { PasswordInput, type PasswordInputProps } from '@mantine/core';

type CurrentPasswordInputProps = Omit<PasswordInputProps, 'visibilityToggleButtonProps'> & {
  /** What the button that shows the password is called. */
  readonly showPassword: string | undefined;
};

/** The password that an operator has, as browsers and password managers know it. */
export function CurrentPasswordInput({ showPassword, ...props }: CurrentPasswordInputProps) {
  return (
    <PasswordInput
      autoComplete="current-password"
      visibilityToggleButtonProps={{ 'aria-label': showPassword }}
      required
      {...props}
    />
  );
}
