import { Button, FocusTrap, Modal } from '@mantine/core'
import { IconArrowUp, IconHistory, IconTrashX } from '@tabler/icons-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeletedReply } from '../../../../src/dashboard/management/folders/deleted-route.ts'
import { request } from '../../api/client.ts'
import { formatBytes } from '../../format/bytes.ts'
import { Rich } from '../../texts/rich.tsx'
import { versionsTexts } from '../../texts/versions.ts'
import { Age } from '../../ui/age.tsx'
import { Confirm, useClosesOnEscape } from '../../ui/confirm.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Row, RowList } from '../../ui/row-list.tsx'
import { changeDeleted } from '../change/file-changes.ts'
import type { FolderAddress } from '../change/move-plan.ts'
import { nameOf, parentOf } from '../entries/entry.ts'
import { NameText } from '../entries/name-text.tsx'
import { visibleName } from '../entries/visible-name.ts'
import { type DeletedItem, deletedItems, entryOf } from './deleted-entries.ts'

interface DeletedDialogProps {
  readonly at: FolderAddress
  readonly onClose: () => void
}

export function DeletedDialog({ at, onClose }: DeletedDialogProps) {
  const name = visibleName(nameOf(at.prefix) || at.bucket)
  return (
    <Modal
      opened
      onClose={onClose}
      title={versionsTexts.deleted.title(name)}
      size="lg"
      centered
      closeOnEscape={useClosesOnEscape()}
    >
      <FocusTrap.InitialFocus />
      <DeletedList {...at} />
    </Modal>
  )
}

/** What was deleted from a folder of a bucket with versions, and from the folders in it. */
export function DeletedList({ bucket, prefix: top }: FolderAddress) {
  const [prefix, setPrefix] = useState(top)
  const client = useQueryClient()
  const query = useInfiniteQuery({
    queryKey: ['deleted', bucket, prefix],
    queryFn: ({ pageParam: after, signal }) =>
      request<DeletedReply>('/-/api/deleted', { query: { bucket, prefix, after }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const refresh = () => void client.invalidateQueries({ queryKey: ['deleted', bucket] })
  return (
    <>
      {prefix !== top && (
        <Button
          variant="default"
          size="xs"
          mb="sm"
          leftSection={<IconArrowUp size={16} />}
          aria-label={versionsTexts.deleted.up(visibleName(prefix.slice(top.length)))}
          onClick={() => setPrefix(parentOf(prefix))}
        >
          <NameText name={prefix.slice(top.length)} />
        </Button>
      )}
      <Loaded query={query} failure={versionsTexts.deleted.failure}>
        {({ pages }) => {
          const items = deletedItems(pages)
          return (
            <>
              {items.length === 0 && <NothingFound isComplete={!query.hasNextPage} />}
              <RowList>
                {items.map((item) => (
                  <DeletedRow
                    key={item.key}
                    {...{ bucket, item }}
                    onOpen={setPrefix}
                    onEnd={refresh}
                  />
                ))}
              </RowList>
              <MoreButton query={query} label={versionsTexts.deleted.more} />
            </>
          )
        }}
      </Loaded>
    </>
  )
}

function NothingFound({ isComplete }: { readonly isComplete: boolean }) {
  const title = isComplete ? versionsTexts.deleted.none : versionsTexts.deleted.noneYet
  return (
    <EmptyState icon={<IconHistory size={40} stroke={1.2} />} title={title}>
      {versionsTexts.deleted.text}
    </EmptyState>
  )
}

interface DeletedRowProps {
  readonly bucket: string
  readonly item: DeletedItem
  readonly onOpen: (prefix: string) => void
  readonly onEnd: () => void
}

function DeletedRow({ bucket, item, onOpen, onEnd }: DeletedRowProps) {
  const entry = entryOf(item)
  const isFolder = entry.kind === 'folder'
  const name = `${entry.name}${isFolder ? '/' : ''}`
  const label = visibleName(name)
  const [isAsking, setIsAsking] = useState(false)
  const start = (action: 'undelete' | 'erase') =>
    changeDeleted(action, { bucket, entries: [entry] }, onEnd)
  const amount = isFolder ? `${versionsTexts.deleted.objects(item.objects)}, ` : ''
  return (
    <Row
      title={
        isFolder ? (
          <Button variant="transparent" size="compact-sm" px={0} onClick={() => onOpen(entry.key)}>
            <NameText name={name} />
          </Button>
        ) : (
          <NameText name={name} />
        )
      }
      detail={
        <Rich
          text={versionsTexts.deleted.detail(`${amount}${formatBytes(item.bytes)}`)}
          marks={{ age: () => <Age at={item.deletedAt} /> }}
        />
      }
      actions={
        <>
          <Button
            size="xs"
            variant="default"
            aria-label={versionsTexts.deleted.restoreOf(label)}
            onClick={() => start('undelete')}
          >
            {versionsTexts.deleted.restore}
          </Button>
          <IconButton
            label={versionsTexts.deleted.deleteOf(label)}
            color="red"
            onClick={() => setIsAsking(true)}
          >
            <IconTrashX size={18} />
          </IconButton>
        </>
      }
    >
      <Confirm
        isOpen={isAsking}
        title={versionsTexts.deleted.deleteAsk}
        action={versionsTexts.delete}
        onConfirm={() => {
          setIsAsking(false)
          start('erase')
        }}
        onClose={() => setIsAsking(false)}
      >
        {isFolder ? versionsTexts.deleted.folderText(label) : versionsTexts.deleted.fileText(label)}
      </Confirm>
    </Row>
  )
}
