interface RelatedBytes {
  readonly bytes: Uint8Array
  readonly mimeType: string
  /** Must not occur in a part. */
  readonly boundary: string
}

/** Metadata and bytes in one request: multipart/related (RFC 2387), for Drive's small uploads. */
export function relatedBody(
  metadata: object,
  { bytes, mimeType, boundary }: RelatedBytes,
): { readonly contentType: string; readonly body: Uint8Array } {
  const head = [
    `--${boundary}`,
    'Content-Type: application/json; charset=UTF-8',
    '',
    JSON.stringify(metadata),
    `--${boundary}`,
    // A line break in a client's content type would start a new header.
    `Content-Type: ${mimeType.replaceAll(/[^\x20-\x7e]/g, '')}`,
    '',
    '',
  ].join('\r\n')
  return {
    contentType: `multipart/related; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}
