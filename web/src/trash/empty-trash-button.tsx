import { Button } from '@mantine/core'
import { useState } from 'react'
import { emptyJob } from '../files/change/trash-work.ts'
import { jobs } from '../files/transfers/transfers.ts'
import { Confirm } from '../ui/confirm.tsx'

interface EmptyTrashButtonProps {
  readonly bucket: string
  readonly onEnd: () => void
}

export function EmptyTrashButton({ bucket, onEnd }: EmptyTrashButtonProps) {
  const [isAsking, setIsAsking] = useState(false)
  const close = () => setIsAsking(false)
  return (
    <>
      <Button variant="light" color="red" size="xs" onClick={() => setIsAsking(true)}>
        Empty the trash
      </Button>
      <Confirm
        isOpen={isAsking}
        title={`Empty the trash of ${bucket}?`}
        action="Delete permanently"
        onConfirm={() => {
          void jobs.start(emptyJob(`Emptying the trash of ${bucket}`, { bucket }, onEnd))
          close()
        }}
        onClose={close}
      >
        Everything in it is deleted permanently. This cannot be undone.
      </Confirm>
    </>
  )
}
