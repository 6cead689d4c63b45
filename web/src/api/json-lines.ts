import { unreachable } from './api-error.ts'

/**
 * Reads a reply with one JSON value per line. Values that arrive together form a group.
 *
 * @throws ApiError if the connection breaks; the signal's reason if aborted
 */
export async function* lineGroups<Line>(
  bytes: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<readonly Line[], undefined> {
  const reader = bytes.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read().catch((error: unknown) => {
      signal.throwIfAborted()
      throw unreachable(error)
    })
    if (done) return undefined
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines.map((line) => JSON.parse(line) as Line)
  }
}
