import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTrashX } from '@tabler/icons-react'
import { useState } from 'react'
import type { TrashReply } from '../../../src/dashboard/management/trash-routes.ts'
import { nameOf, parentOf, sharedParent } from '../files/entries/entry.ts'
import { EntryIcon } from '../files/entries/entry-icon.tsx'
import { NameText } from '../files/entries/name-text.tsx'
import { visibleName } from '../files/entries/visible-name.ts'
import { placeText } from '../files/transfers/file-job-text.ts'
import { startServerJob } from '../files/transfers/server-job.ts'
import { formatBytes } from '../format/bytes.ts'
import { locale } from '../texts/language.ts'
import { Rich } from '../texts/rich.tsx'
import { trashTexts } from '../texts/trash.ts'
import { Age } from '../ui/age.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Row } from '../ui/row-list.tsx'
import { TrashFiles } from './trash-files.tsx'

interface TrashRowProps {
  readonly bucket: string
  readonly item: TrashReply['items'][number]
  /** For how long it is kept. */
  readonly keptDays: number
  /** What the page searches for. */
  readonly search: string
  readonly onEnd: () => void
}

/** What is asked about. Without a key: the whole deletion. */
interface Question {
  readonly what: 'beside' | 'delete'
  readonly key?: string | undefined
}

const dayMs = 86_400_000
const endDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })

/** What one deletion has put into the trash. */
export function TrashRow({ bucket, item, keptDays, search, onEnd }: TrashRowProps) {
  const { id: trashId, paths, count } = item
  const [question, setQuestion] = useState<Question>()
  const [isOpen, { toggle }] = useDisclosure(false)
  const [first = ''] = paths
  const hasFiles = first.endsWith('/') || count > 1
  const name = visibleName(nameOf(first))
  const others = count > 1 ? trashTexts.others(count - 1) : ''
  const of = (key: string | undefined) => (key === undefined ? {} : { paths: [key] })
  const restore = (key?: string, besideOthers = false) => {
    setQuestion(undefined)
    const taken = besideOthers ? 'keep-both' : 'skip'
    const order = { action: 'restore', bucket, trashId, taken, ...of(key) } as const
    void startServerJob(order, ({ skipped }) => {
      if (skipped > 0) setQuestion({ what: 'beside', key })
      onEnd()
    })
  }
  const asked = question?.key === undefined ? `${name}${others}` : visibleName(question.key)
  return (
    <Row
      title={
        <Group gap={8} wrap="nowrap">
          <EntryIcon entry={shownEntry(first)} />
          <span>
            <NameText name={nameOf(first)} />
            {others}
          </span>
        </Group>
      }
      detail={<Detail {...{ bucket, item, keptDays }} />}
      actions={
        <>
          {hasFiles && (
            <Button size="xs" variant="default" aria-expanded={isOpen} onClick={toggle}>
              {isOpen ? trashTexts.hideFiles : trashTexts.showFiles}
            </Button>
          )}
          <RestoreButton {...{ bucket, paths }} onClick={() => restore()} />
          <IconButton
            label={trashTexts.deleteOf(`${name}${others}`)}
            color="red"
            onClick={() => setQuestion({ what: 'delete' })}
          >
            <IconTrashX size={18} />
          </IconButton>
        </>
      }
    >
      {isOpen && (
        <TrashFiles
          {...{ bucket, trashId, search }}
          onRestore={(key) => restore(key)}
          onDelete={(key) => setQuestion({ what: 'delete', key })}
        />
      )}
      <Confirm
        isOpen={question?.what === 'beside'}
        title={trashTexts.taken}
        action={trashTexts.restoreBeside}
        onConfirm={() => restore(question?.key, true)}
        onClose={() => setQuestion(undefined)}
      >
        {trashTexts.takenText(asked, folderOf(bucket, paths, question?.key))}
      </Confirm>
      <Confirm
        isOpen={question?.what === 'delete'}
        title={trashTexts.deleteAsk}
        action={trashTexts.delete}
        onConfirm={() => {
          setQuestion(undefined)
          void startServerJob({ action: 'empty', bucket, trashId, ...of(question?.key) }, onEnd)
        }}
        onClose={() => setQuestion(undefined)}
      >
        {trashTexts.deleteText(asked)}
      </Confirm>
    </Row>
  )
}

/** Where what is asked about is restored to; the bucket, if it was in several folders. */
function folderOf(bucket: string, paths: readonly string[], key: string | undefined): string {
  return placeText(bucket, sharedParent(key === undefined ? paths : [key]) ?? '')
}

interface RestoreButtonProps {
  readonly bucket: string
  readonly paths: readonly string[]
  readonly onClick: () => void
}

function RestoreButton({ bucket, paths, onClick }: RestoreButtonProps) {
  const folder = sharedParent(paths)
  const where =
    folder === undefined
      ? trashTexts.restoreToSeveral
      : trashTexts.restoreTo(placeText(bucket, folder))
  return (
    <Button size="xs" variant="default" data-tip={where} aria-description={where} onClick={onClick}>
      {trashTexts.restore}
    </Button>
  )
}

function shownEntry(key: string) {
  const name = nameOf(key)
  if (key.endsWith('/')) return { kind: 'folder', key, name } as const
  return { kind: 'file', key, name, size: 0, modifiedAtMs: 0, etag: '' } as const
}

function Detail({ bucket, item, keptDays }: Pick<TrashRowProps, 'bucket' | 'item' | 'keptDays'>) {
  const { paths, count, objects, bytes, isMore, deletedAt } = item
  const [first = ''] = paths
  const isFolder = first.endsWith('/') && count === 1
  const files = isMore ? trashTexts.moreThan(objects) : trashTexts.files(objects)
  const amount = isFolder ? trashTexts.folderWith(files) : files
  const end = endDay.format(Date.parse(deletedAt) + keptDays * dayMs)
  return (
    <>
      {(isFolder || count > 1) && `${amount}, `}
      <Rich
        text={trashTexts.from(formatBytes(bytes))}
        marks={{ folder: () => <NameText name={`${bucket}/${parentOf(first)}`} /> }}
      />
      <div>
        <Rich text={trashTexts.deletedAt} marks={{ age: () => <Age at={deletedAt} /> }} />
        {keptDays > 0 && trashTexts.ends(end)}
      </div>
    </>
  )
}
