import { Modal } from '@mantine/core'
import { IconFileOff } from '@tabler/icons-react'
import { useEffect, useMemo, useRef } from 'react'
import { fileTimeOf } from '../../../../src/platform/text/file-time.ts'
import { previewTexts } from '../../texts/preview.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { Loading } from '../../ui/loading.tsx'
import type { Browser } from '../browse/browser.ts'
import { focusGrid } from '../browse/next-focus.ts'
import { type FileEntry, nameOf, parentOf } from '../entries/entry.ts'
import type { EntryAction } from '../entries/entry-action.ts'
import { NameText } from '../entries/name-text.tsx'
import { isReachable } from '../entries/object-address.ts'
import { S3Failure } from '../s3/s3-failure.ts'
import { type DetailsQuery, useObjectDetails } from '../s3/use-object-details.ts'
import { driveChanges } from '../transfers/transfers.ts'
import { useNeighbours } from './neighbours.ts'
import { ObjectView } from './object-view.tsx'
import { useFileKeys } from './use-file-keys.ts'
import { isFileAt, viewedFile, viewOf } from './viewed-address.ts'

interface ViewedFileProps {
  readonly browser: Browser
}

/** The file named in the page address, whether it is listed or not. */
export function ViewedFile({ browser }: ViewedFileProps) {
  const { location, entries, view, closeView, act, dialog } = browser
  const { bucket, key } = viewedFile(location) ?? { bucket: '', key: '' }
  const details = useObjectDetails(bucket, key)
  const listed = useMemo(() => entries.find(isFileAt({ bucket, key })), [entries, bucket, key])
  const found = foundFile(key, details)
  // As the entries of a search do, it names its bucket.
  const ofSearch = location.scope !== undefined && { bucket }
  const file = listed ?? (found && { ...found, ...ofSearch })
  const show = (other: FileEntry) => view(viewOf(location, other))
  const close = () => {
    closeView()
    focusGrid()
  }
  useNextAfterRemoval(browser, file ?? { ...unknown, key, ...ofSearch }, show, close)
  if (file === undefined || !isReachable(key)) {
    return (
      <Modal opened onClose={close} title={<NameText name={nameOf(key)} />} centered>
        <NoFile
          {...{ details, isReachable: isReachable(key), isCovered: dialog !== undefined }}
          onAct={file && ((action) => act(action, [file]))}
        />
      </Modal>
    )
  }
  return (
    <ObjectView
      bucket={bucket}
      file={file}
      entries={entries}
      isCovered={dialog !== undefined}
      onShow={show}
      onAct={(action) => act(action, [file])}
      onClose={close}
    />
  )
}

const unknown: FileEntry = { kind: 'file', key: '', name: '', size: 0, modifiedAtMs: 0, etag: '' }
const isAny = () => true

/** After this page has renamed the file, shows it under its new name; after it has moved or deleted it, the next one. */
function useNextAfterRemoval(
  { location, entries }: Browser,
  file: FileEntry,
  show: (file: FileEntry) => void,
  close: () => void,
): void {
  const neighbours = useNeighbours(entries, file, isAny)
  const latest = useRef({ file, neighbours, show, close })
  useEffect(() => {
    latest.current = { file, neighbours, show, close }
  })
  useEffect(() => {
    let isGone = false
    return driveChanges.subscribe((change) => {
      const { file: current, neighbours: around } = latest.current
      const isHere = change.bucket === viewedFile(location)?.bucket
      if (change.type === 'added') {
        const isRenamed = isGone && parentOf(change.file.key) === parentOf(current.key)
        if (!isHere || !isRenamed) return
        isGone = false
        const renamed = { ...current, ...change.file, name: nameOf(change.file.key) }
        latest.current.show(renamed)
        return
      }
      if (!isHere || !change.keys.has(current.key)) return
      isGone = true
      // A new name is published right after the old one.
      queueMicrotask(() => {
        const next = around.after ?? around.before
        if (isGone && next !== undefined) latest.current.show(next)
        if (isGone && next === undefined) latest.current.close()
        isGone = false
      })
    })
  }, [location])
}

function foundFile(key: string, { data }: DetailsQuery): FileEntry | undefined {
  if (data === undefined) return undefined
  const { size, modifiedAtMs, etag, metadata } = data
  const fileTimeMs = fileTimeOf(Object.fromEntries(metadata))
  const name = nameOf(key)
  const file = { kind: 'file', key, name, size, modifiedAtMs, etag } as const
  return fileTimeMs === undefined ? file : { ...file, fileTimeMs }
}

interface NoFileProps {
  readonly details: DetailsQuery
  readonly isReachable: boolean
  readonly isCovered: boolean
  /** Undefined: it is not known that there is a file. */
  readonly onAct: ((action: EntryAction) => void) | undefined
}

function NoFile({ details: { error, refetch }, isReachable, isCovered, onAct }: NoFileProps) {
  useFileKeys(!isCovered, onAct)
  const isGone = error instanceof S3Failure && error.status === 404
  if (isGone || !isReachable) {
    return (
      <EmptyState icon={<IconFileOff size={36} stroke={1.2} />} title={previewTexts.missing}>
        {isReachable ? previewTexts.missingText : previewTexts.dots}
      </EmptyState>
    )
  }
  if (error === null) return <Loading label={previewTexts.loading} />
  return <FailureNotice title={previewTexts.failure} error={error} onRetry={() => void refetch()} />
}
