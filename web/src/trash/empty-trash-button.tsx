import { Button } from '@mantine/core'
import { useState } from 'react'
import { startServerJob } from '../files/transfers/server-job.ts'
import { trashTexts } from '../texts/trash.ts'
import { Confirm } from '../ui/confirm.tsx'

interface EmptyTrashButtonProps {
  readonly buckets: readonly string[]
  readonly onEnd: () => void
}

export function EmptyTrashButton({ buckets, onEnd }: EmptyTrashButtonProps) {
  const [isAsking, setIsAsking] = useState(false)
  const close = () => setIsAsking(false)
  const [only = ''] = buckets
  const whose = buckets.length === 1 ? only : trashTexts.buckets(buckets.length)
  return (
    <>
      <Button variant="light" color="red" size="xs" onClick={() => setIsAsking(true)}>
        {trashTexts.empty}
      </Button>
      <Confirm
        isOpen={isAsking}
        title={trashTexts.emptyAsk(whose)}
        action={trashTexts.delete}
        onConfirm={() => {
          emptyEach(buckets, onEnd)
          close()
        }}
        onClose={close}
      >
        {trashTexts.emptyText}
      </Confirm>
    </>
  )
}

/** One after the other: a few jobs can run at a time. */
function emptyEach([bucket, ...others]: readonly string[], onEnd: () => void): void {
  if (bucket === undefined) return
  void startServerJob({ action: 'empty', bucket }, () => {
    onEnd()
    emptyEach(others, onEnd)
  })
}
