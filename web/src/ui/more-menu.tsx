import { Menu } from '@mantine/core'
import { IconDots, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { frameTexts } from '../texts/frame.ts'
import { IconButton } from './icon-button.tsx'

interface MoreMenuProps {
  readonly name: string
  /** Menu items. */
  readonly children: ReactNode
  /** The label of the destructive item. */
  readonly removal: string
  readonly onRemove: () => void
}

/** The less common actions on a row. */
export function MoreMenu({ name, children, removal, onRemove }: MoreMenuProps) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <IconButton label={frameTexts.moreFor(name)}>
          <IconDots size={16} />
        </IconButton>
      </Menu.Target>
      <Menu.Dropdown>
        {children}
        <Menu.Item
          color="red"
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} />}
          onClick={onRemove}
        >
          {removal}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
