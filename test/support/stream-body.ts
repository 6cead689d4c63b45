import type { StreamBody } from '../../src/platform/http/message.ts'

/** All the bytes, borrowed and closed as the writer of replies does. */
export async function readStreamBody(body: StreamBody): Promise<Buffer> {
  const copies: Buffer[] = []
  try {
    await body.lend(async (chunk) => {
      copies.push(Buffer.from(chunk))
    })
    return Buffer.concat(copies)
  } finally {
    await body.close()
  }
}
