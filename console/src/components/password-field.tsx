// This file is the input for passwords, which can be shown.
import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useText } from '../i18n/text.tsx';

export function PasswordField(props: PasswordInputProps) {
  const text = useText();
  return (
    <PasswordInput
      visibilityToggleButtonProps={{ 'aria-label': text('common.showPassword') }}
      {...props}
    />
  );
}
