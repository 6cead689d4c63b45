import { Loader, NavLink, ScrollArea, Text } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { fileChangeTexts } from '../../texts/file-change.ts'
import { type Entry, parentOf } from '../entries/entry.ts'
import { EntryIcon } from '../entries/entry-icon.tsx'
import { NameText } from '../entries/name-text.tsx'
import { pagesOf } from '../listing/open-folder.ts'
import type { FolderAddress } from './move-plan.ts'
import classes from './name-list.module.css'

/** Maximum folders in the list, each with a row of its own. */
const maxShown = 1_000

/** Maximum entries read to find folders. */
const maxRead = 100_000

interface FolderPickerProps {
  /** The user may still be typing the prefix. */
  readonly at: FolderAddress
  readonly onPick: (prefix: string) => void
}

/** Lists the subfolders of a folder to choose from. */
export function FolderPicker({ at, onPick }: FolderPickerProps) {
  const folder = at.prefix.endsWith('/') ? at.prefix : parentOf(at.prefix)
  const { bucket } = at
  const { data, error, isPending } = useQuery({
    queryKey: ['folders', bucket, folder],
    queryFn: ({ signal }) => foldersIn(bucket, folder, signal),
  })
  const folders = data?.folders ?? []
  return (
    <ScrollArea h={190} className={classes.frame ?? ''} type="auto">
      {folder !== '' && (
        <NavLink
          component="button"
          type="button"
          py={6}
          leftSection={<IconArrowUp size={18} />}
          label={fileChangeTexts.move.up}
          onClick={() => onPick(parentOf(folder))}
        />
      )}
      {folders.map((entry) => (
        <NavLink
          key={entry.key}
          component="button"
          type="button"
          py={6}
          leftSection={<EntryIcon entry={entry} />}
          label={<NameText name={entry.name} />}
          onClick={() => onPick(entry.key)}
        />
      ))}
      {isPending && <Loader size="sm" m="sm" />}
      {error !== null && (
        <Text size="sm" c="red" p="sm" role="alert">
          {error.message}
        </Text>
      )}
      {data !== undefined && (data.isMore || folders.length === 0) && (
        <Text size="sm" c="dimmed" p="sm">
          {data.isMore ? fileChangeTexts.move.manyFolders : fileChangeTexts.move.noFolders}
        </Text>
      )}
    </ScrollArea>
  )
}

/** The subfolders, up to the limits above. */
async function foldersIn(bucket: string, prefix: string, signal: AbortSignal) {
  const pages = pagesOf({ bucket, prefix })
  const enough = new AbortController()
  const reading = AbortSignal.any([signal, enough.signal])
  const folders: Entry[] = []
  let after: string | undefined
  let read = 0
  do {
    const { entries, continuationToken } = await pages.fetch(after, reading)
    folders.push(...entries.filter(({ kind }) => kind === 'folder'))
    read += entries.length
    after = continuationToken
  } while (after !== undefined && folders.length < maxShown && read < maxRead)
  // Cancels a response that is not read completely.
  enough.abort()
  return { folders, isMore: after !== undefined }
}
