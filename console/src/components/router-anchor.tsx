// This file is a link within the console.
import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes } from 'react';

type Props = AnchorProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps>;

/** An anchor that the router follows without loading the page again. */
export const RouterAnchor = createLink((props: Props) => <Anchor component="a" {...props} />);
