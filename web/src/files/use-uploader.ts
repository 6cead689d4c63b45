import { useCallback, useMemo, useRef, useState } from 'react'
import { formatCount } from '../format/bytes.ts'
import { showFailure } from '../ui/messages.ts'
import { afterSignIn } from './after-sign-in.ts'
import { listPage } from './bucket-client.ts'
import type { ClashAnswer } from './clash-names.ts'
import { type DroppedEntry, type DroppedItem, readDropped } from './dropped-items.ts'
import type { Place } from './move-plan.ts'
import { prepareUploads } from './prepare-uploads.ts'
import { uploads } from './transfers.ts'
import { visibleName } from './visible-name.ts'

/** What happens between a drop and the queue. */
export type UploadStage =
  | { readonly type: 'reading'; readonly found: number }
  | { readonly type: 'checking'; readonly count: number }
  | {
      readonly type: 'asking'
      readonly clashes: readonly string[]
      readonly answer: (answer: ClashAnswer | undefined) => void
    }

export interface Uploader {
  readonly stage: UploadStage | undefined
  readonly addDropped: (data: DataTransfer) => void
  readonly addPicked: (input: HTMLInputElement) => void
  /** Nothing of it goes into the queue. */
  readonly cancel: () => void
}

/** Takes files and folders into the queue of uploads, asking about names that are taken. */
export function useUploader({ bucket, prefix }: Place): Uploader {
  const [stage, setStage] = useState<UploadStage>()
  const running = useRef<AbortController>(undefined)
  const take = useCallback(
    async (read: (signal: AbortSignal) => Promise<readonly DroppedItem[]>) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      try {
        const items = await read(signal)
        setStage({ type: 'checking', count: items.length })
        await enqueue(items, { bucket, prefix }, { signal, setStage })
      } catch (error) {
        if (!signal.aborted) showFailure('Nothing was uploaded', messageOf(error))
      } finally {
        if (running.current === controller) setStage(undefined)
      }
    },
    [bucket, prefix],
  )
  const addDropped = useCallback(
    (data: DataTransfer) => {
      // The browser forgets the items when this turn is over.
      const { entries, files } = entriesOf(data)
      void take(async (signal) => {
        const onFound = (found: number) => setStage({ type: 'reading', found })
        const { items, unreadable } = await readDropped(entries, { signal, onFound })
        tellUnreadable(unreadable)
        return [...items, ...files.map((file) => ({ path: file.name, file }))]
      })
    },
    [take],
  )
  const addPicked = useCallback(
    (input: HTMLInputElement) => {
      const items = [...(input.files ?? [])].map((file) => ({
        path: file.webkitRelativePath || file.name,
        file,
      }))
      // So that the same can be picked again.
      input.value = ''
      if (items.length > 0) void take(async () => items)
    },
    [take],
  )
  const cancel = useCallback(() => {
    running.current?.abort()
    setStage(undefined)
  }, [])
  return useMemo(
    () => ({ stage, addDropped, addPicked, cancel }),
    [stage, addDropped, addPicked, cancel],
  )
}

interface EnqueueParts {
  readonly signal: AbortSignal
  readonly setStage: (stage: UploadStage) => void
}

async function enqueue(
  items: readonly DroppedItem[],
  { bucket, prefix }: Place,
  { signal, setStage }: EnqueueParts,
): Promise<void> {
  const { orders, tooLong } = await prepareUploads(
    items,
    { bucket, prefix },
    {
      isUnderWay: (key) => uploads.isUnderWay(bucket, key),
      listKeysAfter: (startAfter) =>
        afterSignIn(async () => {
          const query = { bucket, prefix, folder: prefix, isDeep: true, startAfter, signal }
          const { keys, continuationToken } = await listPage(query)
          return { keys, isLast: continuationToken === undefined }
        }),
      ask: (clashes) =>
        new Promise((resolve) => {
          const answer = (given: ClashAnswer | undefined) => {
            setStage({ type: 'checking', count: clashes.length })
            resolve(given)
          }
          signal.addEventListener('abort', () => resolve(undefined), { once: true })
          setStage({ type: 'asking', clashes, answer })
        }),
    },
  )
  signal.throwIfAborted()
  if (tooLong.length > 0) {
    showFailure(
      `${formatCount(tooLong.length)} not uploaded`,
      `A name with its folders has at most 1,024 bytes: ${visibleName(tooLong[0] ?? '')}`,
    )
  }
  uploads.add(orders)
}

/** Scripts that drop, and old browsers, give files without entries. */
function entriesOf(data: DataTransfer): { entries: DroppedEntry[]; files: File[] } {
  const entries: DroppedEntry[] = []
  const files: File[] = []
  for (const item of data.items) {
    if (item.kind !== 'file') continue
    const entry = item.webkitGetAsEntry()
    const file = entry === null ? item.getAsFile() : null
    if (entry !== null) entries.push(entry)
    else if (file !== null) files.push(file)
  }
  return { entries, files }
}

function tellUnreadable(paths: readonly string[]): void {
  if (paths.length === 0) return
  const first = visibleName(paths[0] ?? '')
  showFailure(
    `${formatCount(paths.length)} could not be read`,
    `The browser may not read ${first}.`,
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
