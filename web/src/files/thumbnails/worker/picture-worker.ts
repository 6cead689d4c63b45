import { maxFileBytes } from '../thumbnail-limits.ts'
import type { ObjectSource, ThumbnailTask } from '../thumbnail-task.ts'
import { answerTasks } from './answer-tasks.ts'
import { browserBitmap } from './browser-bitmap.ts'
import { NotReadError } from './object-parts.ts'

answerTasks(async (task: ThumbnailTask, form) => {
  if ('frame' in task) return { bitmap: task.frame }
  const bytes = await bytesOf(task)
  const bitmap = bytes && (await browserBitmap(bytes, form))
  return bitmap && { bitmap }
})

/** Holds the file that is being read. All files share it in turn, because 500 photos would leave 2 GB to collect. */
let memory = new Uint8Array(1024 * 1024)

/**
 * The bytes of a file, until the next one is read; undefined above the limit, which also applies to an object that is
 * decompressed on arrival.
 */
async function bytesOf(source: ObjectSource): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return readWhole(source).catch((error: Error) => {
    throw new NotReadError(error.message)
  })
}

async function readWhole({ url, etag }: ObjectSource) {
  const reply = await fetch(url, {
    headers: { 'if-match': `"${etag}"` },
    credentials: 'omit',
    cache: 'no-store',
  })
  if (!reply.ok || reply.body === null) throw new Error(`status ${reply.status}`)
  let length = 0
  const reader = reply.body.getReader()
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const end = length + step.value.length
    if (end > maxFileBytes) return undefined
    if (end > memory.length) {
      const larger = new Uint8Array(Math.max(end, 2 * memory.length))
      larger.set(memory.subarray(0, length))
      memory = larger
    }
    memory.set(step.value, length)
    length = end
  }
  return memory.subarray(0, length)
}
