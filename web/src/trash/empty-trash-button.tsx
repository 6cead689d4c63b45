import { Button } from '@mantine/core'
import { useState } from 'react'
import { startServerJob } from '../files/transfers/server-job.ts'
import { formatAmount } from '../format/bytes.ts'
import { Confirm } from '../ui/confirm.tsx'

interface EmptyTrashButtonProps {
  readonly buckets: readonly string[]
  readonly onEnd: () => void
}

export function EmptyTrashButton({ buckets, onEnd }: EmptyTrashButtonProps) {
  const [isAsking, setIsAsking] = useState(false)
  const close = () => setIsAsking(false)
  const [only = ''] = buckets
  const whose = buckets.length === 1 ? only : formatAmount(buckets.length, 'bucket')
  return (
    <>
      <Button variant="light" color="red" size="xs" onClick={() => setIsAsking(true)}>
        Empty the trash
      </Button>
      <Confirm
        isOpen={isAsking}
        title={`Empty the trash of ${whose}?`}
        action="Delete permanently"
        onConfirm={() => {
          emptyEach(buckets, onEnd)
          close()
        }}
        onClose={close}
      >
        Everything in it is deleted permanently. This cannot be undone.
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
