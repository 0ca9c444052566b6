// These are links within the console, which the router follows without loading the page again.
import { Anchor, type AnchorProps, NavLink, type NavLinkProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes } from 'react';

type Props = AnchorProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps>;

export const RouterAnchor = createLink((props: Props) => <Anchor component="a" {...props} />);

export const RouterNavLink = createLink((props: NavLinkProps) => (
  <NavLink component="a" {...props} />
));
