import type { Readable } from 'node:stream'
import { DriveError } from '../../drive-error.ts'
import { noAnswer, stallMs } from './store.ts'

/** The limit for bytes that wait for the reader. */
const heldBytes = 256 * 1024

/**
 * The first `size` bytes of a reply, in the chunks of the socket. The connection can be reused if they are read to the end;
 * otherwise `ending` ends the request.
 *
 * @throws DriveError `unavailable` if bytes are missing or take too long; the reason of `ending`
 */
export async function* replyBytes(
  body: Readable,
  { size, ending }: { readonly size: number; readonly ending: AbortController },
): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = []
  let held = 0
  let left = size
  let wake: (() => void) | undefined
  let failure: unknown
  let isOver = false
  body.on('data', (chunk: Uint8Array) => {
    chunks.push(chunk)
    held += chunk.length
    if (held >= heldBytes) body.pause()
    wake?.()
  })
  body.once('error', (error) => {
    failure = error
  })
  body.once('close', () => {
    isOver = true
    wake?.()
  })
  // One timer for all chunks, which has an effect only while waiting for the store.
  const timer = setTimeout(() => {
    if (wake !== undefined) ending.abort(noAnswer(stallMs))
  }, stallMs)
  try {
    while (left > 0) {
      ending.signal.throwIfAborted()
      const chunk = chunks.shift()
      if (chunk !== undefined) {
        held -= chunk.length
        left -= chunk.length
        if (held === 0) body.resume()
        yield chunk
      } else {
        if (isOver) throw failure ?? partOnly()
        timer.refresh()
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        wake = undefined
      }
    }
  } finally {
    clearTimeout(timer)
    if (left > 0) ending.abort()
  }
}

function partOnly(): DriveError {
  return new DriveError('unavailable', 'The S3 store sent only a part of the object.')
}
