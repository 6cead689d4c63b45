import { Button, Group, Progress, Stack } from '@mantine/core'
import { useState } from 'react'
import { useConnection } from '../../connection/use-connection.ts'
import { transfersTexts } from '../../texts/transfers.ts'
import { LazyConfirm } from '../../ui/lazy-confirm.tsx'
import classes from '../transfers/transfer-dock.module.css'
import { paceText, percent, progressText } from '../transfers/transfer-text.ts'
import { uploads } from '../transfers/transfers.ts'
import type { UploadQueueState } from './upload-queue.ts'
import { unfinished } from './upload-totals.ts'

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
        aria-label={transfersTexts.all}
      />
      <div className={classes.pace}>
        <span>{progressText(queue)}</span>
        <span>{paceText(queue, isConnected)}</span>
      </div>
      <Group gap={6}>
        {canPause && <Small label={transfersTexts.pauseAll} onClick={() => uploads.pauseAll()} />}
        {(isPaused || paused > 0) && isOpen && (
          <Small label={transfersTexts.resumeAll} onClick={() => uploads.resumeAll()} />
        )}
        {failed > 0 && <Small label={transfersTexts.retryAll} onClick={() => uploads.retryAll()} />}
        {failed > 0 && (
          <Small label={transfersTexts.discardFailed} onClick={() => uploads.discardFailed()} />
        )}
        {isOpen && <CancelAll count={open} />}
        {done > 0 && isOpen && (
          <Small label={transfersTexts.clear} onClick={() => uploads.clearDone()} />
        )}
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
      <Small label={transfersTexts.cancelAll} onClick={() => setIsAsking(true)} />
      <LazyConfirm
        isOpen={isAsking}
        title={count === 1 ? transfersTexts.cancelAskOne : transfersTexts.cancelAsk(count)}
        action={count === 1 ? transfersTexts.cancelOne : transfersTexts.cancelMany}
        dismiss={transfersTexts.goOn}
        onConfirm={() => {
          uploads.cancelAll()
          setIsAsking(false)
        }}
        onClose={() => setIsAsking(false)}
      >
        {transfersTexts.cancelText}
      </LazyConfirm>
    </>
  )
}
