import { Menu } from '@mantine/core'
import { IconFilePlus, IconFolderUp } from '@tabler/icons-react'

interface UploadMenuProps {
  readonly onClose: () => void
  readonly onFiles: () => void
  readonly onFolder: () => void
}

/** The open menu of the upload button. */
export function UploadMenu({ onClose, onFiles, onFolder }: UploadMenuProps) {
  return (
    <Menu opened onClose={onClose} position="bottom-start" withinPortal>
      <Menu.Target>
        <span style={{ position: 'absolute', left: 0, bottom: 0 }} aria-hidden />
      </Menu.Target>
      <Menu.Dropdown aria-label="Upload">
        <Menu.Item leftSection={<IconFilePlus size={18} />} onClick={onFiles}>
          Files
        </Menu.Item>
        <Menu.Item leftSection={<IconFolderUp size={18} />} onClick={onFolder}>
          Folder
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
