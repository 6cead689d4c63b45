import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { formatBytes } from '../../format/bytes.ts'
import { transfersTexts } from '../../texts/transfers.ts'
import { showFailure } from '../../ui/messages.ts'
import { nameOf } from '../entries/entry.ts'
import { NameText } from '../entries/name-text.tsx'
import { visibleName } from '../entries/visible-name.ts'
import classes from '../transfers/transfer-dock.module.css'
import { leftovers } from '../transfers/transfers.ts'
import type { UploadRecord } from './upload-records.ts'

/** An upload that a closed or reloaded page left unfinished. */
export function LeftoverRow({ record }: { readonly record: UploadRecord }) {
  const { bucket, key, folder, size } = record
  const [isBusy, setIsBusy] = useState(false)
  const name = visibleName(key)
  const discard = async () => {
    setIsBusy(true)
    try {
      await leftovers.discard(record)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      showFailure(transfersTexts.notDiscarded(name), transfersTexts.again(reason))
      setIsBusy(false)
    }
  }
  return (
    <section className={classes.job} aria-label={transfersTexts.interruptedOf(name)}>
      <Group gap={6} wrap="nowrap">
        <span className={classes.rowName} data-tip={name} data-tip-cut>
          <NameText name={nameOf(key)} />
        </span>
        <Button
          size="compact-xs"
          variant="default"
          loading={isBusy}
          aria-label={transfersTexts.discardOf(name)}
          onClick={discard}
        >
          {transfersTexts.discard}
        </Button>
      </Group>
      <div className={classes.rowText}>
        {(key.slice(folder.length).includes('/')
          ? transfersTexts.chooseFolder
          : transfersTexts.chooseFile)(formatBytes(size), visibleName(`${bucket}/${folder}`))}
      </div>
    </section>
  )
}
