import { UpstreamError } from './upstream-error.ts'

/**
 * The text of a body of at most `maxBytes`, counted after decoding: neither a declared length nor a
 * small compressed body allows more.
 *
 * @throws UpstreamError too-large.
 */
export async function boundedText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the body, which closes its connection.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) throw new UpstreamError('too-large', { status: response.status })
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** The beginning of a body, as text to show. */
export async function beginningOf(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk.subarray(0, maxBytes - size))
    size += chunk.byteLength
    if (size >= maxBytes) break
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}
