import { Button, Flex, Progress, Stack } from '@mantine/core'
import { IconCircleCheck, IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react'
import { type CSSProperties, memo } from 'react'
import { transfersTexts } from '../../texts/transfers.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { nameOf, parentOf } from '../entries/entry.ts'
import { NameText } from '../entries/name-text.tsx'
import classes from '../transfers/transfer-dock.module.css'
import { percent, uploadName, uploadText } from '../transfers/transfer-text.ts'
import { intake, uploads } from '../transfers/transfers.ts'
import { smallBytes } from './part-size.ts'
import { keptBytes, type UploadItem } from './upload-item.ts'

interface UploadRowProps {
  readonly item: UploadItem
  readonly index: number
  readonly count: number
  readonly style: CSSProperties
  /** Absent while all rows have the same height. */
  readonly measure: ((row: HTMLElement | null) => void) | undefined
}

export const UploadRow = memo(function UploadRow(props: UploadRowProps) {
  const { item, index, count, style, measure } = props
  const { state, sent, file, key, folder } = item
  const name = uploadName(item)
  return (
    <li
      ref={measure}
      data-index={index}
      className={classes.row}
      data-failed={state === 'failed' || undefined}
      style={style}
      aria-posinset={index + 1}
      aria-setsize={count}
    >
      <Stack flex={1} gap={3} miw={0}>
        <UploadPath path={key.slice(folder.length)} title={name} />
        {state !== 'done' && state !== 'failed' && file.size > smallBytes && (
          <Progress
            size={4}
            value={percent(sent, file.size)}
            color={state === 'running' ? 'var(--bucketry-accent)' : 'gray'}
            aria-label={transfersTexts.uploadOf(name)}
          />
        )}
        <div className={classes.rowText} data-failed={state === 'failed' || undefined}>
          {uploadText(item)}
        </div>
      </Stack>
      <RowButtons item={item} name={name} />
    </li>
  )
})

/** The path from the open folder. If it is too long, the folders are truncated, not the name. */
function UploadPath({ path, title }: { readonly path: string; readonly title: string }) {
  const folders = parentOf(path)
  return (
    <div className={classes.path} data-tip={title} data-tip-cut>
      {folders !== '' && (
        <span className={classes.folders}>
          <NameText name={folders} />
        </span>
      )}
      <span className={classes.rowName}>
        <NameText name={nameOf(path)} />
      </span>
    </div>
  )
}

interface RowButtonsProps {
  readonly item: UploadItem
  readonly name: string
}

function RowButtons({ item, name }: RowButtonsProps) {
  const { id, state } = item
  if (state === 'done') {
    return (
      <IconCircleCheck size={20} className={classes.arrived} aria-label={transfersTexts.done} />
    )
  }
  if (state === 'failed') return <FailedButtons item={item} name={name} />
  return (
    <Flex flex="none">
      {state === 'paused' ? (
        <IconButton label={transfersTexts.resumeOf(name)} onClick={() => uploads.resume(id)}>
          <IconPlayerPlay size={16} />
        </IconButton>
      ) : (
        <IconButton label={transfersTexts.pauseOf(name)} onClick={() => uploads.pause(id)}>
          <IconPlayerPause size={16} />
        </IconButton>
      )}
      <IconButton label={transfersTexts.cancelOf(name)} onClick={() => uploads.cancel(id)}>
        <IconX size={16} />
      </IconButton>
    </Flex>
  )
}

/** Asks about the file that has the name now. Without an answer, the row stays. */
function askAgain({ id, bucket, folder, key, file }: UploadItem): void {
  const item = { path: key.slice(folder.length), file }
  intake.take(
    { bucket, prefix: folder },
    async () => [item],
    ([order]) => {
      if (order !== undefined) uploads.retry(id, order)
    },
  )
}

/** A decision is needed, so the choices are words. */
function FailedButtons({ item, name }: RowButtonsProps) {
  const { id, problem } = item
  const isClash = problem?.kind === 'clash'
  const isKept = keptBytes(item) > 0
  const again = isClash
    ? transfersTexts.clash.replace
    : isKept
      ? transfersTexts.resume
      : transfersTexts.retry
  const end = isKept ? transfersTexts.discard : transfersTexts.remove
  return (
    <Flex flex="none" gap={6}>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={transfersTexts.actionOf(again, name)}
        onClick={() => (isClash ? askAgain(item) : uploads.retry(id))}
      >
        {again}
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={transfersTexts.actionOf(end, name)}
        onClick={() => uploads.cancel(id)}
      >
        {end}
      </Button>
    </Flex>
  )
}
