import { Button } from '@mantine/core'
import { IconTrashX } from '@tabler/icons-react'
import { useState } from 'react'
import type { TrashReply } from '../../../src/dashboard/management/trash-routes.ts'
import { NameText } from '../files/entries/name-text.tsx'
import { visibleName } from '../files/entries/visible-name.ts'
import { startServerJob } from '../files/transfers/server-job.ts'
import { formatAmount, formatBytes } from '../format/bytes.ts'
import { Age } from '../ui/age.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Row } from '../ui/row-list.tsx'

interface TrashRowProps {
  readonly bucket: string
  readonly item: TrashReply['items'][number]
  /** For how long it is kept. */
  readonly keptDays: number
  readonly onEnd: () => void
}

const dayMs = 86_400_000
const endDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })

/** What one deletion has put into the trash. */
export function TrashRow({ bucket, item, keptDays, onEnd }: TrashRowProps) {
  const { id: trashId, keys, objects, bytes, isMore, deletedAt } = item
  const [question, setQuestion] = useState<'beside' | 'delete'>()
  const [first = ''] = keys
  const name = visibleName(first)
  const restore = (besideOthers: boolean) => {
    setQuestion(undefined)
    const taken = besideOthers ? 'keep-both' : 'skip'
    void startServerJob({ action: 'restore', bucket, trashId, taken }, ({ skipped }) => {
      if (skipped > 0) setQuestion('beside')
      onEnd()
    })
  }
  const more = isMore ? 'more than ' : ''
  return (
    <Row
      title={
        <>
          <NameText name={first} />
          {objects > 1 && ` and ${more}${formatAmount(objects - 1, 'other object')}`}
        </>
      }
      detail={
        <>
          {more}
          {formatBytes(bytes)}, deleted <Age at={deletedAt} />
          {keptDays > 0 &&
            `, for ever on ${endDay.format(Date.parse(deletedAt) + keptDays * dayMs)}`}
        </>
      }
      actions={
        <>
          <Button size="xs" variant="default" onClick={() => restore(false)}>
            Restore
          </Button>
          <IconButton
            label={`Delete ${name} permanently`}
            color="red"
            onClick={() => setQuestion('delete')}
          >
            <IconTrashX size={18} />
          </IconButton>
        </>
      }
    >
      <Confirm
        isOpen={question === 'beside'}
        title="Some names are taken"
        action="Restore under new names"
        onConfirm={() => restore(true)}
        onClose={() => setQuestion(undefined)}
      >
        Objects with the name {name}, or with other names in this item, already exist. They stay as
        they are. What is still in the trash can be restored beside them, with a number added to its
        name.
      </Confirm>
      <Confirm
        isOpen={question === 'delete'}
        title="Delete permanently?"
        action="Delete permanently"
        onConfirm={() => {
          setQuestion(undefined)
          void startServerJob({ action: 'empty', bucket, trashId }, onEnd)
        }}
        onClose={() => setQuestion(undefined)}
      >
        {name}
        {objects > 1 && ` and ${more}${formatAmount(objects - 1, 'other object')}`} cannot be
        restored afterwards.
      </Confirm>
    </Row>
  )
}
