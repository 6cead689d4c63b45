import { useWindowEvent } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { entryId, entryWithin, parentOf } from '../entries/entry.ts'
import type { DriveChange } from '../transfers/drive-changes.ts'
import { driveChanges, jobs, uploads } from '../transfers/transfers.ts'
import type { BucketLocation } from './browser.ts'
import { focusGrid } from './next-focus.ts'
import type { ShownSelection } from './use-selection.ts'

/**
 * Selects what this page has added to the shown list, once it is there: after a rename, an upload, a paste, an undo.
 * A folder that was there before stays as it is.
 */
export function useReveal(
  { bucket, prefix, scope }: BucketLocation,
  { keys, dispatch }: ShownSelection,
): void {
  const wanted = useRef(new Set<string>())
  const shown = useRef<ReadonlySet<string>>(new Set())
  /** What was shown when the last action began: a list may show a new folder before the action reports it. */
  const before = useRef<ReadonlySet<string>>(undefined)
  /** The same when the person last did something here: it may show it even before the reply that begins the action. */
  const beforeInput = useRef<ReadonlySet<string>>(undefined)
  /** Whether the person has done nothing since the last entry came. */
  const isMore = useRef(false)
  const onInput = () => {
    isMore.current = false
    beforeInput.current = shown.current
  }
  useWindowEvent('pointerdown', onInput)
  useWindowEvent('keydown', onInput)
  useWindowEvent('drop', onInput)
  useBegun(() => {
    isMore.current = false
    before.current = shown.current
    dispatch({ type: 'release' })
  })
  useEffect(() => {
    before.current = undefined
    beforeInput.current = undefined
    const idOf = scope === undefined ? idInFolder(bucket, prefix) : idInResults
    return driveChanges.subscribe((change) => {
      const id = change.type === 'added' ? idOf(change) : undefined
      const old = before.current ?? shown.current
      const isOld = (key: string) => old.has(key) && beforeInput.current?.has(key) !== false
      const isOldFolder = id?.endsWith('/') === true && isOld(id)
      if (id !== undefined && !isOldFolder) wanted.current.add(id)
    })
  }, [bucket, prefix, scope])
  useEffect(() => {
    shown.current = new Set(keys)
    if (wanted.current.size === 0) return
    const found = keys.filter((key) => wanted.current.delete(key))
    if (found.length === 0) return
    dispatch({ type: 'reveal', keys: found, isMore: isMore.current })
    isMore.current = true
    if (document.activeElement === document.body) focusGrid()
  }, [keys, dispatch])
}

/** Calls back when this page begins to upload, or a job begins. */
function useBegun(callBack: () => void): void {
  const onBegun = useRef(callBack)
  useEffect(() => {
    onBegun.current = callBack
  })
  useEffect(() => {
    const latest = () => ({
      upload: uploads.snapshot().items.at(-1)?.batch ?? 0,
      job: jobs.snapshot().at(-1)?.id ?? 0,
    })
    let known = latest()
    const check = () => {
      const { upload, job } = latest()
      if (upload > known.upload || job > known.job) onBegun.current()
      known = { upload: Math.max(upload, known.upload), job: Math.max(job, known.job) }
    }
    const ends = [uploads.subscribe(check), jobs.subscribe(check)]
    return () => {
      for (const end of ends) end()
    }
  }, [])
}

type Added = Extract<DriveChange, { readonly type: 'added' }>

function idInFolder(bucket: string, prefix: string) {
  return (change: Added): string | undefined => {
    const entry = change.bucket === bucket ? entryWithin(prefix, change.file) : undefined
    return entry && entryId(entry)
  }
}

function idInResults({ bucket, file }: Added): string | undefined {
  const entry = entryWithin(parentOf(file.key), file)
  return entry && entryId({ ...entry, bucket })
}
