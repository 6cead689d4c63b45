import type { HttpReply } from '../../platform/http/message.ts'
import { fileKind } from '../../platform/text/file-kind.ts'
import { storedOrPreview } from '../thumbnails/photo-preview.ts'
import { pictureHeaders, pictureType } from '../thumbnails/picture-form.ts'
import { kindPath } from './kind-icon.ts'
import { refusals, ShareRefusal } from './share-texts.ts'
import { fieldOf, readObject } from './shared-object.ts'
import type { ShareHandlerParts, Visit } from './visit.ts'

/**
 * Sends the stored thumbnail of a file, or the preview that the camera has put into it. Never the file itself, and never
 * a use. @throws ShareRefusal
 */
export async function sendThumbnail(
  visit: Visit,
  key: string,
  parts: ShareHandlerParts,
): Promise<HttpReply> {
  // It would be a look that is not counted.
  if (visit.share.maxUses !== 0) throw new ShareRefusal(refusals.unknown)
  const { headers } = await readObject(visit, { key, method: 'HEAD', headers: {} }, parts)
  const etag = fieldOf(headers, 'etag').replaceAll('"', '')
  const { bucket } = visit.share
  const readBeginning = async (length: number) => {
    const asked = { range: `bytes=0-${length - 1}`, 'if-match': `"${etag}"` }
    return bytesOf(await readObject(visit, { key, method: 'GET', headers: asked }, parts))
  }
  const picture = await storedOrPreview({ bucket, key, etag }, { ...parts, readBeginning })
  const type = picture && pictureType(picture)
  if (type === undefined) return { ...placeholder, body: drawingOf(key), logFields: { key } }
  return {
    status: 200,
    headers: [
      ...[['Content-Type', type] as const, ...pictureHeaders],
      ['X-Content-Type-Options', 'nosniff'],
      ['Referrer-Policy', 'no-referrer'],
    ],
    body: picture,
    logFields: { key },
  }
}

/** At most as many bytes as were asked for. */
async function bytesOf({ body }: HttpReply): Promise<Buffer> {
  if (body === undefined || typeof body === 'string') return Buffer.from(body ?? '')
  if (body instanceof Uint8Array) return Buffer.from(body)
  const chunks: Buffer[] = []
  try {
    // The memory of a chunk is lent.
    await body.lend(async (chunk) => void chunks.push(Buffer.from(chunk)))
  } finally {
    await body.close()
  }
  return Buffer.concat(chunks)
}

/** A drawing of a picture or a sheet of paper, until there is a thumbnail. */
const placeholder = {
  status: 200,
  headers: [
    ['Content-Type', 'image/svg+xml'],
    ['Cache-Control', 'private, max-age=60'],
    ['Content-Security-Policy', "sandbox; default-src 'none'"],
    ['X-Content-Type-Options', 'nosniff'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
  ],
} satisfies HttpReply

function drawingOf(key: string): string {
  const drawing = fileKind(key) === 'pdf' ? `<path d="${kindPath('pdf')}"/>` : pictureDrawing
  return `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256" viewBox="-16 -16 56 56" fill="none" stroke="#868e96" stroke-linecap="round" stroke-linejoin="round">${drawing}</svg>`
}

const pictureDrawing =
  '<rect x="3" y="3" width="18" height="18" rx="3"/><circle cx="8.5" cy="8.5" r="1"/><path d="m3 16 5-5 6 6m-1-1 2-2 6 4"/>'
