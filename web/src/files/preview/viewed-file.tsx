import { Modal } from '@mantine/core'
import { IconFileOff } from '@tabler/icons-react'
import { useMemo } from 'react'
import { fileTimeOf } from '../../../../src/platform/text/file-time.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { Loading } from '../../ui/loading.tsx'
import type { Browser } from '../browse/browser.ts'
import { focusGrid } from '../browse/next-focus.ts'
import type { Entry, FileEntry } from '../entries/entry.ts'
import type { EntryAction } from '../entries/entry-action.ts'
import { NameText } from '../entries/name-text.tsx'
import { isReachable } from '../entries/object-address.ts'
import { S3Failure } from '../s3/s3-failure.ts'
import { type DetailsQuery, useObjectDetails } from '../s3/use-object-details.ts'
import { ObjectView } from './object-view.tsx'

interface ViewedFileProps {
  readonly browser: Browser
  /** The name in the shown folder. */
  readonly name: string
}

/** Actions after which the file is no longer at this address. */
const moving: ReadonlySet<EntryAction> = new Set(['rename', 'move', 'delete'])

/** The file named in the page address, whether it is listed or not. */
export function ViewedFile({ browser, name }: ViewedFileProps) {
  const { location, entries, view, closeView, act } = browser
  const key = location.prefix + name
  const details = useObjectDetails(location.bucket, key)
  const listed = useMemo(() => entries.find(isFileOf(key)), [entries, key])
  const file = listed ?? foundFile({ key, name }, details)
  const close = () => {
    closeView()
    focusGrid()
  }
  if (file === undefined || !isReachable(key)) {
    return (
      <Modal opened onClose={close} title={<NameText name={name} />} centered>
        <NoFile details={details} isReachable={isReachable(key)} />
      </Modal>
    )
  }
  return (
    <ObjectView
      bucket={location.bucket}
      file={file}
      entries={entries}
      onShow={(other) => view(other.name)}
      onAct={(action) => {
        if (moving.has(action)) closeView()
        act(action, [file])
      }}
      onClose={close}
    />
  )
}

function isFileOf(key: string): (entry: Entry) => entry is FileEntry {
  return (entry): entry is FileEntry => entry.kind === 'file' && entry.key === key
}

function foundFile(
  { key, name }: { readonly key: string; readonly name: string },
  { data }: DetailsQuery,
): FileEntry | undefined {
  if (data === undefined) return undefined
  const { size, modifiedAtMs, etag, metadata } = data
  const fileTimeMs = fileTimeOf(Object.fromEntries(metadata))
  const file = { kind: 'file', key, name, size, modifiedAtMs, etag } as const
  return fileTimeMs === undefined ? file : { ...file, fileTimeMs }
}

interface NoFileProps {
  readonly details: DetailsQuery
  readonly isReachable: boolean
}

function NoFile({ details: { error, refetch }, isReachable }: NoFileProps) {
  const isGone = error instanceof S3Failure && error.status === 404
  if (isGone || !isReachable) {
    return (
      <EmptyState icon={<IconFileOff size={36} stroke={1.2} />} title="This file does not exist">
        {isReachable
          ? 'It may have been moved or deleted.'
          : 'Browsers cannot open a path with “.” or “..” in it.'}
      </EmptyState>
    )
  }
  if (error === null) return <Loading label="Loading the preview" />
  return (
    <FailureNotice
      title="The file could not be opened"
      error={error}
      onRetry={() => void refetch()}
    />
  )
}
