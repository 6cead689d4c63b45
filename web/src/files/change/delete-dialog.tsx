import { List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { TrashReply } from '../../../../src/dashboard/management/trash-routes.ts'
import { request } from '../../api/client.ts'
import { useBucket, useBuckets, useStatus } from '../../api/service-queries.ts'
import { formatBytes, formatCount } from '../../format/bytes.ts'
import { fileChangeTexts } from '../../texts/file-change.ts'
import { Confirm } from '../../ui/confirm.tsx'
import type { Entry } from '../entries/entry.ts'
import { entryCounts } from '../entries/entry-counts.ts'
import { NameText } from '../entries/name-text.tsx'
import { visibleName } from '../entries/visible-name.ts'
import { deletionText } from './deletion-text.ts'
import { removeEntries } from './file-changes.ts'
import { sizeOfTree } from './folder-contents.ts'

interface DeleteDialogProps {
  readonly bucket: string
  readonly entries: readonly Entry[]
  /** Whether the trash is not to keep them. */
  readonly isForEver: boolean
  readonly onClose: () => void
}

const shownNames = 8

/** Moves entries to the trash. What cannot be undone is asked first, with what will be deleted and how much. */
export function DeleteDialog({ bucket, entries, isForEver, onClose }: DeleteDialogProps) {
  const size = useContents(bucket, entries)
  const deletes = useStatus().data?.drive.deletes
  const subject = subjectOf(entries)
  const versioning = useBucket(bucket)?.versioning ?? 'off'
  const { data: trash, isLoading } = useTrash(bucket)
  const isKnown = !useBuckets().isLoading && !isLoading
  const keepsVersions = versioning === 'enabled'
  const hasTrash = !keepsVersions && trash?.isThere === true && trash.days > 0
  const goesToTrash = hasTrash && !isForEver
  const isAsking = isForEver || (isKnown && !goesToTrash && !keepsVersions)
  const confirm = () => {
    // While versions are enabled, the server makes delete markers.
    removeEntries(goesToTrash || keepsVersions ? 'trash' : 'delete', { bucket, entries })
    onClose()
  }
  const isSilent = isKnown && !isAsking
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as soon as it is known that nothing is asked
  useEffect(() => {
    if (isSilent) confirm()
  }, [isSilent])
  if (!isAsking) return null
  return (
    <Confirm
      isOpen
      title={fileChangeTexts.delete.ask(subject)}
      action={hasTrash ? fileChangeTexts.delete.permanently : fileChangeTexts.delete.action}
      isBusy={!isKnown}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack>
        {entries.length > 1 && <Names entries={entries} />}
        <Text size="sm" role="status">
          {size}
        </Text>
        <Text size="sm">{deletionText(hasTrash ? 'permanent' : deletes, versioning)}</Text>
      </Stack>
    </Confirm>
  )
}

/** The state of the bucket's trash. If it cannot be read, deletion does not use the trash, and the text says so. */
function useTrash(bucket: string) {
  return useQuery({
    queryKey: ['trash', bucket, ''],
    queryFn: ({ signal }) => request<TrashReply>('/-/api/trash', { query: { bucket }, signal }),
    retry: false,
  })
}

function Names({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <List size="sm">
      {entries.slice(0, shownNames).map(({ key, name, kind }) => (
        <List.Item key={key}>
          <NameText name={name} />
          {kind === 'folder' && '/'}
        </List.Item>
      ))}
      {entries.length > shownNames && (
        <List.Item>
          {fileChangeTexts.delete.more(formatCount(entries.length - shownNames))}
        </List.Item>
      )}
    </List>
  )
}

function subjectOf(entries: readonly Entry[]): string {
  const [first] = entries
  if (entries.length === 1 && first !== undefined) {
    const name = visibleName(first.name)
    return first.kind === 'folder'
      ? fileChangeTexts.delete.folder(name)
      : fileChangeTexts.delete.file(name)
  }
  return fileChangeTexts.delete.all(entryCounts(entries))
}

/** Counts what will be deleted while the dialog is open. */
function useContents(bucket: string, entries: readonly Entry[]): string {
  const [text, setText] = useState(fileChangeTexts.delete.counting)
  useEffect(() => {
    const controller = new AbortController()
    contentsOf(bucket, entries, controller.signal).then(setText, () => {
      if (controller.signal.aborted) return
      setText(fileChangeTexts.delete.notCounted)
    })
    return () => controller.abort()
  }, [bucket, entries])
  return text
}

async function contentsOf(
  bucket: string,
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<string> {
  let objects = 0
  let bytes = 0
  let isMore = false
  for (const entry of entries) {
    if (entry.kind === 'file') {
      objects += 1
      bytes += entry.size
    } else if (!isMore) {
      const size = await sizeOfTree(bucket, entry.key, signal)
      objects += size.objects
      bytes += size.bytes
      isMore = size.isMore
    }
  }
  const count = fileChangeTexts.delete.objects(objects)
  const text = isMore ? fileChangeTexts.delete.totalMore : fileChangeTexts.delete.total
  return text(count, formatBytes(bytes))
}
