import { Button, Loader, NavLink, ScrollArea, Text } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { parentOf } from '../entries/entry.ts'
import { EntryIcon } from '../entries/entry-icon.tsx'
import { NameText } from '../entries/name-text.tsx'
import { listPage } from '../s3/bucket-client.ts'
import type { FolderAddress } from './move-plan.ts'
import classes from './name-list.module.css'

interface FolderPickerProps {
  /** The prefix may still be being typed. */
  readonly at: FolderAddress
  readonly onPick: (prefix: string) => void
}

/** Lists the subfolders of a folder to choose from. */
export function FolderPicker({ at, onPick }: FolderPickerProps) {
  const folder = at.prefix.endsWith('/') ? at.prefix : parentOf(at.prefix)
  const query = useFolders(at.bucket, folder)
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const folders = data?.pages.flat() ?? []
  return (
    <ScrollArea h={190} className={classes.frame ?? ''} type="auto">
      {folder !== '' && (
        <NavLink
          component="button"
          type="button"
          py={6}
          leftSection={<IconArrowUp size={18} />}
          label="One folder up"
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
      {data !== undefined && folders.length === 0 && !hasNextPage && (
        <Text size="sm" c="dimmed" p="sm">
          This folder contains no folders.
        </Text>
      )}
      {hasNextPage && (
        <Button
          variant="subtle"
          size="compact-sm"
          m="xs"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Load more
        </Button>
      )}
    </ScrollArea>
  )
}

function useFolders(bucket: string, folder: string) {
  return useInfiniteQuery({
    queryKey: ['folders', bucket, folder],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      listPage({
        ...{ bucket, folder, signal },
        prefix: folder,
        isDeep: false,
        continuationToken: pageParam,
      }),
    getNextPageParam: ({ continuationToken }) => continuationToken,
    select: ({ pages, pageParams }) => ({
      pages: pages.map(({ entries }) => entries.filter(({ kind }) => kind === 'folder')),
      pageParams,
    }),
  })
}
