import { IconUpload } from '@tabler/icons-react'
import { type DragEvent, type ReactNode, useState } from 'react'
import classes from './drop-zone.module.css'

interface DropZoneProps {
  /** The target as shown to the user. */
  readonly folderName: string
  readonly onDrop: (data: DataTransfer) => void
  readonly children: ReactNode
}

/** Accepts files and folders dropped anywhere on it. */
export function DropZone({ folderName, onDrop, children }: DropZoneProps) {
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
        event.preventDefault()
        event.dataTransfer.dropEffect = 'copy'
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setDepth(0)
        onDrop(event.dataTransfer)
      }}
    >
      {children}
      {depth > 0 && (
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
