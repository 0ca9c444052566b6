// This file has the links between the parts of the screen, whose only state is the URL.
import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { useText } from '../../i18n/text.tsx';

const LinkButton = createLink((props: ButtonProps & { readonly href?: string }) => (
  <Button component="a" {...props} />
));

/** The search parameter of a subscription that is not stored yet. */
export const NEW = 'new';

export function NewLink() {
  const text = useText();
  return (
    <LinkButton
      size="xs"
      to="/admin/$page"
      params={{ page: 'webhooks' }}
      search={{ subscription: NEW }}
    >
      {text('webhook.new')}
    </LinkButton>
  );
}

export function BackLink() {
  const text = useText();
  return (
    <LinkButton
      size="compact-xs"
      variant="subtle"
      to="/admin/$page"
      params={{ page: 'webhooks' }}
      search={{}}
    >
      {text('webhook.all')}
    </LinkButton>
  );
}
