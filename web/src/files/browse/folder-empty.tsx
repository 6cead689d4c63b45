import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconFolderOpen, IconFolderQuestion } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { filesTexts } from '../../texts/files.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { isListed } from '../change/folder-contents.ts'
import { nameOf, parentOf } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import type { BucketLocation } from './browser.ts'

interface FolderEmptyProps {
  readonly location: BucketLocation
  readonly openPrefix: (prefix: string) => void
}

/** Replaces the list if the folder is empty or does not exist. */
export function FolderEmpty({ location: { bucket, prefix }, openPrefix }: FolderEmptyProps) {
  const { data: exists = true, isLoading } = useQuery({
    queryKey: ['folder-exists', bucket, prefix],
    queryFn: () => isListed(bucket, prefix),
    enabled: prefix !== '',
    // The listing is checked every few seconds; this query only distinguishes empty from missing.
    staleTime: 0,
    gcTime: 0,
  })
  // There the button has only its sign, and nothing can be dropped.
  const isPhone = useMediaQuery('(max-width: 640px)') ?? false
  if (isLoading) return null
  if (exists) {
    return (
      <EmptyState icon={<IconFolderOpen size={40} stroke={1.2} />} title={filesTexts.empty.title}>
        {isPhone ? filesTexts.empty.phoneText : filesTexts.empty.text}
      </EmptyState>
    )
  }
  const parent = parentOf(prefix)
  return (
    <EmptyState
      icon={<IconFolderQuestion size={40} stroke={1.2} />}
      title={filesTexts.unknownFolder(visibleName(nameOf(prefix)))}
    >
      <div>{filesTexts.unknownFolderText}</div>
      <Button mt="sm" size="xs" variant="default" onClick={() => openPrefix(parent)}>
        {filesTexts.goTo(visibleName(nameOf(parent) || bucket))}
      </Button>
    </EmptyState>
  )
}
