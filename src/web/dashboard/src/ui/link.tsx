import { Button, type ButtonProps } from '@mantine/core';
import { createLink, Link, useRouter } from '@tanstack/react-router';
import { type ComponentProps, forwardRef, type MouseEvent, type ReactNode } from 'react';

/** A link within the dashboard: typed `to`, `params` and `search`. */
export const TextLink = Link;
export type TextLinkProps = ComponentProps<typeof Link>;

type HrefLinkProps = {
  readonly href: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly title?: string;
  readonly onMouseMove?: () => void;
  readonly onFocus?: () => void;
};

/** The same for an address that is made elsewhere, such as `/p/<id>/calls/<request id>`, and for lists of many: it costs a tenth. */
export function HrefLink({ href, children, ...rest }: HrefLinkProps) {
  const router = useRouter();
  const onClick = (event: MouseEvent) => {
    // A new tab or window is the browser's matter.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate({ href });
  };
  return (
    <a href={href} onClick={onClick} {...rest}>
      {children}
    </a>
  );
}

type AnchorButtonProps = Omit<ButtonProps, 'href'> & { readonly children?: ReactNode };

const AnchorButton = forwardRef<HTMLAnchorElement, AnchorButtonProps>((props, ref) => (
  <Button component="a" ref={ref} {...props} />
));

/** A button that leads to another page of the dashboard. */
export const LinkButton = createLink(AnchorButton);

type HrefButtonProps = Omit<ButtonProps, 'href'> & { readonly href: string; readonly children: ReactNode };

/** The same for an address that is made elsewhere. */
export function HrefButton({ children, ...props }: HrefButtonProps) {
  return (
    <Button component={HrefLink} {...props}>
      {children}
    </Button>
  );
}
