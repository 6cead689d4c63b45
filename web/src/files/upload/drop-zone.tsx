import { IconUpload } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { fileWorkTexts } from '../../texts/file-work.ts'
import { hasFiles } from '../carry/drag.ts'
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
      aria-label={fileWorkTexts.browser}
      className={classes.zone}
      onDragEnter={(event) => hasFiles(event.dataTransfer) && setDepth((before) => before + 1)}
      onDragLeave={(event) =>
        hasFiles(event.dataTransfer) && setDepth((before) => Math.max(0, before - 1))
      }
      onDragOver={(event) => {
        if (!hasFiles(event.dataTransfer)) return
        // Otherwise the browser would open the files.
        event.preventDefault()
        event.dataTransfer.dropEffect = isDisabled ? 'none' : 'copy'
      }}
      // Also of a drop that a folder of the list takes.
      onDropCapture={() => setDepth(0)}
      onDrop={(event) => {
        if (!hasFiles(event.dataTransfer)) return
        event.preventDefault()
        if (!isDisabled) onDrop(event.dataTransfer)
      }}
    >
      {children}
      {depth > 0 && !isDisabled && (
        <div className={classes.cover} aria-hidden>
          <span className={classes.label}>
            <IconUpload size={20} />
            {fileWorkTexts.drop(folderName)}
          </span>
        </div>
      )}
    </section>
  )
}
