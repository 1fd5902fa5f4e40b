import { Button, type ButtonProps } from '@mantine/core';
import { createLink, Link } from '@tanstack/react-router';
import { type ComponentProps, forwardRef } from 'react';

/** A link within the dashboard: typed `to`, `params` and `search`. */
export const TextLink = Link;
export type TextLinkProps = ComponentProps<typeof Link>;

type AnchorButtonProps = Omit<ButtonProps, 'href'> & { readonly children?: React.ReactNode };

const AnchorButton = forwardRef<HTMLAnchorElement, AnchorButtonProps>((props, ref) => (
  <Button component="a" ref={ref} {...props} />
));

/** A button that leads to another page of the dashboard. */
export const LinkButton = createLink(AnchorButton);
