import { Button, Group, Progress, Stack } from '@mantine/core'
import { useState } from 'react'
import { useConnection } from '../../connection/use-connection.ts'
import { Confirm } from '../../ui/confirm.tsx'
import classes from '../transfers/transfer-dock.module.css'
import { paceText, percent, progressText, unfinished } from '../transfers/transfer-text.ts'
import { uploads } from '../transfers/transfers.ts'
import type { UploadQueueState } from './upload-queue.ts'

/** A summary of all uploads with actions for all of them. */
export function UploadSummary({ queue }: { readonly queue: UploadQueueState }) {
  const { totals, isPaused } = queue
  const isConnected = useConnection() === 'connected'
  const { waiting, running, paused, retrying, failed, done } = totals.counts
  const open = unfinished(totals)
  const isOpen = open > 0
  const canPause = !isPaused && waiting + running + retrying > 0
  return (
    <Stack flex="none" gap={6} px={14} pb={10}>
      <Progress
        size="sm"
        value={isOpen ? percent(totals.sentBytes, totals.totalBytes) : 100}
        color={failed > 0 && !isOpen ? 'red' : 'var(--bucketry-accent)'}
        aria-label="All uploads"
      />
      <div className={classes.pace}>
        <span>{progressText(queue)}</span>
        <span>{paceText(queue, isConnected)}</span>
      </div>
      <Group gap={6}>
        {canPause && <Small label="Pause all" onClick={() => uploads.pauseAll()} />}
        {(isPaused || paused > 0) && isOpen && (
          <Small label="Resume all" onClick={() => uploads.resumeAll()} />
        )}
        {failed > 0 && <Small label="Retry all" onClick={() => uploads.retryAll()} />}
        {failed > 0 && <Small label="Discard failed" onClick={() => uploads.discardFailed()} />}
        {isOpen && <CancelAll count={open} />}
        {done > 0 && isOpen && <Small label="Clear finished" onClick={() => uploads.clearDone()} />}
      </Group>
    </Stack>
  )
}

function Small({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <Button size="compact-xs" variant="default" onClick={onClick}>
      {label}
    </Button>
  )
}

function CancelAll({ count }: { readonly count: number }) {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <Small label="Cancel all" onClick={() => setIsAsking(true)} />
      <Confirm
        isOpen={isAsking}
        title={count === 1 ? 'Cancel the upload?' : `Cancel ${count} uploads?`}
        action={count === 1 ? 'Cancel the upload' : 'Cancel uploads'}
        dismiss="Continue uploading"
        onConfirm={() => {
          uploads.cancelAll()
          setIsAsking(false)
        }}
        onClose={() => setIsAsking(false)}
      >
        Unfinished files are discarded. Files that are already uploaded are kept.
      </Confirm>
    </>
  )
}
