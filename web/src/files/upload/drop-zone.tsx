import { IconUpload } from '@tabler/icons-react'
import { type DragEvent, type ReactNode, useState } from 'react'
import classes from './drop-zone.module.css'

interface DropZoneProps {
  /** The target as shown to the user. */
  readonly folderName: string
  readonly isDisabled: boolean
  readonly onDrop: (data: DataTransfer) => void
  readonly children: ReactNode
}

/** Accepts files and folders dropped anywhere on it. */
export function DropZone({ folderName, isDisabled, onDrop, children }: DropZoneProps) {
  // Every child element reports when a drag enters and leaves it.
  const [depth, setDepth] = useState(0)
  return (
    <section
      aria-label="File browser"
      className={classes.zone}
      onDragEnter={(event) => hasFiles(event) && setDepth((before) => before + 1)}
      onDragLeave={(event) => hasFiles(event) && setDepth((before) => Math.max(0, before - 1))}
      onDragOver={(event) => {
        if (!hasFiles(event)) return
        // Otherwise the browser would open the files.
        event.preventDefault()
        event.dataTransfer.dropEffect = isDisabled ? 'none' : 'copy'
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setDepth(0)
        if (!isDisabled) onDrop(event.dataTransfer)
      }}
    >
      {children}
      {depth > 0 && !isDisabled && (
        <div className={classes.cover} aria-hidden>
          <IconUpload size={40} stroke={1.4} />
          <span>Drop to upload into {folderName}</span>
        </div>
      )}
    </section>
  )
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes('Files')
}
