import { ActionIcon, type ActionIconProps } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'

interface IconButtonProps
  extends ActionIconProps,
    Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps> {
  readonly label: string
}

/** A button with an icon alone. Its label is also its tooltip. */
export function IconButton({ label, ...props }: IconButtonProps) {
  return <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} {...props} />
}
