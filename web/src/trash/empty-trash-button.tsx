import { Button } from '@mantine/core'
import { useState } from 'react'
import { startServerJob } from '../files/transfers/server-job.ts'
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
          void startServerJob({ action: 'empty', bucket }, onEnd)
          close()
        }}
        onClose={close}
      >
        Everything in it is deleted permanently. This cannot be undone.
      </Confirm>
    </>
  )
}
