import { Button } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { Suspense, useRef, useState } from 'react'
import type { FolderAddress } from '../change/move-plan.ts'
import { takePicked } from '../upload/take-uploads.ts'
import classes from './browser-toolbar.module.css'
import { UploadMenu } from './overlays.ts'

/** Asks whether to upload files or a folder, then which. */
export function UploadButton({ to }: { readonly to: FolderAddress }) {
  const button = useRef<HTMLButtonElement>(null)
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  // A press on the button closes an open menu, because it is a press outside the menu.
  const wasOpen = useRef(false)
  return (
    <div className={classes.upload}>
      <Button
        ref={button}
        leftSection={<IconUpload size={18} />}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onPointerDown={() => {
          wasOpen.current = isOpen
        }}
        onClick={() => {
          setIsOpen(!wasOpen.current)
          wasOpen.current = false
        }}
      >
        Upload
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <UploadMenu
            onClose={() => {
              setIsOpen(false)
              button.current?.focus()
            }}
            onFiles={() => files.current?.click()}
            onFolder={() => folder.current?.click()}
          />
        </Suspense>
      )}
      <input
        ref={files}
        type="file"
        multiple
        hidden
        onChange={(event) => takePicked(event.currentTarget, to)}
      />
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        // Required for browsers to offer folders.
        {...{ webkitdirectory: '' }}
        onChange={(event) => takePicked(event.currentTarget, to)}
      />
    </div>
  )
}
