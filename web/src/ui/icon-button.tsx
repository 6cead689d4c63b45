import { ActionIcon, type ActionIconProps } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'

interface IconButtonProps
  extends ActionIconProps,
    Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps> {
  readonly label: string
}

/** A button with an icon alone. Its tooltip is its label, or its title. */
export function IconButton({ label, title = label, ...props }: IconButtonProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      data-tip={title}
      {...(title !== label && { 'aria-description': title })}
      {...props}
    />
  )
}
