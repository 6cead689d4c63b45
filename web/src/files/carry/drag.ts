import type { DragEvent } from 'react'
import { type FolderAddress, moveTo, obstacleOf, type PutMode } from '../change/move-plan.ts'
import { type Carried, subjectOf } from '../change/put-entries.ts'
import { takeDropped } from '../upload/take-uploads.ts'
import { put } from './clipboard.ts'
import classes from './drag.module.css'

/** Distinguishes dragged rows from dragged files and texts. */
const typeStart = 'application/x-bucketry-rows-'

interface Dragged extends Omit<Carried, 'mode'> {
  /** Unique to this drag: drags of other pages have other types, and a drag may end without an event. */
  readonly type: string
}

/** Rows are dragged within one page, one drag at a time. */
let dragged: Dragged | undefined

/** Starts dragging rows to a folder. */
export function dragRows({ dataTransfer }: DragEvent, rows: Omit<Carried, 'mode'>): void {
  const type = typeStart + crypto.getRandomValues(new Uint32Array(2)).join('-')
  dragged = { ...rows, type }
  dataTransfer.effectAllowed = 'copyMove'
  dataTransfer.setData(type, '')
  const label = document.createElement('div')
  label.className = classes.label ?? ''
  label.textContent = subjectOf(rows.entries)
  document.body.append(label)
  dataTransfer.setDragImage(label, -12, 10)
  // The browser captures the drag image after this event.
  setTimeout(() => {
    label.remove()
    showPath(true)
  })
  for (const end of ['dragend', 'drop']) {
    addEventListener(end, () => showPath(false), { once: true, capture: true })
  }
}

/** The header shows the path, whose folders take the rows, and not the actions on the selection. */
function showPath(isDragging: boolean): void {
  document.documentElement.toggleAttribute('data-drags-rows', isDragging)
}

/**
 * Handlers of an element that represents a folder: dropped rows are moved to it, or copied with Ctrl or Alt; files of
 * the desktop are uploaded into it.
 */
export function dropTarget(folder: FolderAddress) {
  return {
    onDragOver(event: DragEvent) {
      const { currentTarget, dataTransfer } = event
      const isRows = isOf(dragged, dataTransfer) && mayDrop(folder)
      if (!isRows && !hasFiles(dataTransfer)) return
      event.preventDefault()
      event.stopPropagation()
      dataTransfer.dropEffect = isRows ? modeOf(event) : 'copy'
      currentTarget.setAttribute('data-drop', '')
    },
    onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
      if (!currentTarget.contains(relatedTarget as Node | null)) leave(currentTarget)
    },
    onDrop(event: DragEvent) {
      leave(event.currentTarget)
      if (hasFiles(event.dataTransfer)) {
        event.preventDefault()
        event.stopPropagation()
        takeDropped(event.dataTransfer, folder)
        return
      }
      if (!isOf(dragged, event.dataTransfer)) return
      event.preventDefault()
      event.stopPropagation()
      const { bucket, entries } = dragged
      put({ bucket, entries, mode: modeOf(event) }, folder)
      dragged = undefined
    },
  }
}

export function hasFiles({ types }: DataTransfer): boolean {
  return types.includes('Files')
}

function isOf(rows: Dragged | undefined, { types }: DataTransfer): rows is Dragged {
  return rows !== undefined && types.includes(rows.type)
}

function modeOf({ ctrlKey, altKey }: DragEvent): PutMode {
  return ctrlKey || altKey ? 'copy' : 'move'
}

function mayDrop(folder: FolderAddress): boolean {
  return (
    dragged?.entries.every(
      (entry) => obstacleOf(moveTo(entry, dragged?.bucket ?? '', folder)) === undefined,
    ) ?? false
  )
}

function leave(element: Element): void {
  element.removeAttribute('data-drop')
}
