import { Button, Group, Modal, NativeSelect, ScrollArea, Stack } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '../../format/bytes.ts'
import { frameTexts } from '../../texts/frame.ts'
import { transfersTexts } from '../../texts/transfers.ts'
import { NameText } from '../entries/name-text.tsx'
import { visibleName } from '../entries/visible-name.ts'
import type { ClashAnswer } from './clash-names.ts'
import type { ClashQuestion, ShownClash } from './clash-questions.ts'
import classes from './name-list.module.css'

/** Rows added at a time. */
const shownAtOnce = 50

const labels: readonly { readonly value: ClashAnswer; readonly label: string }[] = [
  { value: 'keep-both', label: transfersTexts.clash.both },
  { value: 'replace', label: transfersTexts.clash.replace },
  { value: 'skip', label: transfersTexts.clash.skip },
]

/** Asks what to do about name conflicts of uploads, moves and copies. */
export function ClashDialog(question: ClashQuestion) {
  const { clashes, answer } = question
  const title =
    clashes.length === 1 ? transfersTexts.clash.one : transfersTexts.clash.many(clashes.length)
  return (
    <Modal opened onClose={() => answer(undefined)} title={title} size="lg" centered>
      {clashes.length === 1 ? <OneClash {...question} /> : <ManyClashes {...question} />}
    </Modal>
  )
}

function OneClash({ clashes, answer }: ClashQuestion) {
  return (
    <Stack>
      <div className={classes.frame}>
        <ul className={classes.names}>
          {clashes.map((clash) => (
            <li key={clash.key}>
              <ClashText clash={clash} />
            </li>
          ))}
        </ul>
      </div>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={() => answer(() => 'skip')}>
          {transfersTexts.clash.skip}
        </Button>
        <Button color="red" variant="light" onClick={() => answer(() => 'replace')}>
          {transfersTexts.clash.replace}
        </Button>
        <Button data-autofocus onClick={() => answer(() => 'keep-both')}>
          {transfersTexts.clash.both}
        </Button>
      </Group>
    </Stack>
  )
}

/** One choice for all files, and exceptions for single files. */
function ManyClashes({ clashes, answer }: ClashQuestion) {
  const [all, setAll] = useState<ClashAnswer>('keep-both')
  const [own, setOwn] = useState<ReadonlyMap<string, ClashAnswer>>(new Map())
  const [shown, setShown] = useState(shownAtOnce)
  return (
    <Stack>
      <NativeSelect
        label={transfersTexts.clash.forAll}
        data-autofocus
        data={labels}
        value={all}
        onChange={(event) => {
          setAll(event.currentTarget.value as ClashAnswer)
          setOwn(new Map())
        }}
      />
      <ScrollArea.Autosize mah={320} scrollbars="y" className={classes.frame ?? ''}>
        <ul className={classes.names}>
          {clashes.slice(0, shown).map((clash) => (
            <li key={clash.key} className={classes.choice}>
              <ClashText clash={clash} />
              <NativeSelect
                size="xs"
                aria-label={transfersTexts.clash.for(visibleName(clash.key))}
                data={labels}
                value={own.get(clash.key) ?? all}
                onChange={(event) =>
                  setOwn(new Map(own).set(clash.key, event.currentTarget.value as ClashAnswer))
                }
              />
            </li>
          ))}
        </ul>
        {clashes.length > shown && (
          <Button
            m="xs"
            size="compact-sm"
            variant="subtle"
            onClick={() => setShown(shown + shownAtOnce)}
          >
            {transfersTexts.clash.more(formatCount(clashes.length - shown))}
          </Button>
        )}
      </ScrollArea.Autosize>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={() => answer(undefined)}>
          {frameTexts.cancel}
        </Button>
        <Button onClick={() => answer((key) => own.get(key) ?? all)}>
          {transfersTexts.clash.continue}
        </Button>
      </Group>
    </Stack>
  )
}

function ClashText({ clash: { key, details } }: { readonly clash: ShownClash }) {
  return (
    <div className={classes.clash}>
      <NameText name={key} />
      {details.map((detail) => (
        <div key={detail} className={classes.detail}>
          {detail}
        </div>
      ))}
    </div>
  )
}
