import type { HttpReply } from '../../platform/http/message.ts'
import { attachmentNamed } from '../../platform/text/percent-encoding.ts'
import { openArchive } from '../../storage/archive/object-archive.ts'
import { isLegalKey } from '../../storage/drives/kit/names/key-path.ts'
import type { Entry } from '../../storage/drives/listed-entry.ts'
import { type Share, sharesBase } from './share.ts'
import { factsOf, type Html, html, type SharePage } from './share-pages.ts'
import { nameOf, refusals, ShareRefusal, shownName, sizeText } from './share-texts.ts'
import { assertLeft, count, sendFile } from './shared-files.ts'
import type { ShareHandlerParts, Visit, VisitReply } from './visit.ts'

const pageEntries = 200

/** Answers visitors of a link to a folder. @throws ShareRefusal */
export async function answerFolder(visit: Visit, parts: ShareHandlerParts): Promise<VisitReply> {
  const { request, share, token, rest } = visit
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new ShareRefusal(refusals.method, { allow: 'GET, HEAD' })
  }
  // The path is appended to the prefix as it is: `..` has no meaning in keys.
  const query = new URLSearchParams(request.rawQuery)
  const path = query.get('path') ?? ''
  const key = share.path + path
  const isFolder = path === '' || path.endsWith('/')
  if (key !== '' && !isLegalKey(key)) throw new ShareRefusal(refusals.unknown)
  if (rest === '/file' && !isFolder) return sendFile(visit, key, parts)
  if (rest === '/zip' && isFolder && request.method === 'GET') return sendArchive(visit, key, parts)
  if (rest !== '' || !isFolder) throw new ShareRefusal(refusals.unknown)
  assertLeft(share)
  const entries = await entriesOf(visit, { prefix: key, after: query.get('after') ?? '' }, parts)
  const shown = entries.slice(0, pageEntries)
  const next = entries.length > pageEntries ? shown.at(-1)?.key : undefined
  return folderPage(token, share, { path, entries: shown, next })
}

/**
 * Sends a folder as one ZIP file, which counts as one use. It cannot be resumed, because it is created while it is
 * sent.
 */
async function sendArchive(
  { request, share }: Visit,
  prefix: string,
  parts: ShareHandlerParts,
): Promise<HttpReply> {
  assertLeft(share)
  const slot = parts.archives.enter(share.shareId)
  if (slot === undefined) throw new ShareRefusal(refusals.away, { retryAfterSeconds: 60 })
  const { bucket } = share
  const { signal } = request
  try {
    const archive = await openArchive({ drive: parts.drive, bucket, prefix, signal })
    const headers = [
      ['Content-Type', 'application/zip'],
      ['Content-Disposition', attachmentNamed(`${nameOf(prefix) || bucket}.zip`)],
      ['Cache-Control', 'no-store'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Referrer-Policy', 'no-referrer'],
    ] as const
    const reply = { status: 200, headers, body: slot.around(archive) }
    await count(share, reply, parts)
    return reply
  } catch (error) {
    slot.leave()
    throw error
  }
}

/** The entries of a page, and one more if there is another page. */
async function entriesOf(
  { share, request }: Visit,
  { prefix, after }: { readonly prefix: string; readonly after: string },
  { drive }: ShareHandlerParts,
): Promise<Entry[]> {
  const cursor = drive.list(share.bucket, { prefix, after, delimiter: '/' })
  const found: Entry[] = []
  while (found.length <= pageEntries) {
    request.signal.throwIfAborted()
    const entries = await cursor.next(pageEntries + 1 - found.length)
    if (entries.length === 0) break
    // The folder itself may be an object.
    found.push(...entries.filter(({ key }) => key !== prefix))
  }
  return found
}

interface SharedFolder {
  /** Relative to the shared folder. */
  readonly path: string
  readonly entries: readonly Entry[]
  /** The last key of the page, if there are more. */
  readonly next: string | undefined
}

/** Files that are probably pictures. The content type is known only when a file is opened. */
const picture = /\.(?:png|jpe?g|gif|webp|avif|bmp)$/i

/** The page of a link to a folder, or of a folder in it. */
function folderPage(token: string, share: Share, folder: SharedFolder): SharePage {
  const address = `${sharesBase}${token}`
  const name = shownName(nameOf(share.path + folder.path) || share.bucket)
  const entries = folder.entries.map((entry) => ({
    path: entry.key.slice(share.path.length),
    name: shownName(nameOf(entry.key)),
    size: entry.kind === 'object' ? entry.size : undefined,
  }))
  // If uses are limited, a picture on the page would be a download that is not counted.
  const isGallery = share.maxUses === 0
  const pictures = isGallery ? entries.filter((entry) => picture.test(entry.path)) : []
  return {
    title: name,
    body: html`<p class="kind">Shared folder</p>
${folder.path !== '' && crumbs(address, share, folder.path)}
<h1><bdi>${name}</bdi></h1>
<p class="facts">${entries.length === 0 ? 'This folder is empty' : 'Press a name to download it'}${factsOf(share)}</p>
${pictures.length > 0 && html`<ul class="gallery">${pictures.map((one) => shownPicture(address, one))}</ul>`}
${entries.length > 0 && html`<p><a href="${address}/zip?${queryOf({ path: folder.path })}" download>Download all as ZIP</a></p>`}
<ul class="entries">${entries.map((entry) => row(address, entry))}</ul>
${folder.next !== undefined && html`<p class="actions"><a class="button" href="${address}?${queryOf({ path: folder.path, after: folder.next })}">Next page</a></p>`}`,
  }
}

interface ShownEntry {
  readonly path: string
  readonly name: string
  /** Undefined: a folder. */
  readonly size: number | undefined
}

function row(address: string, { path, name, size }: ShownEntry): Html {
  if (size === undefined) {
    return html`<li class="folder"><a href="${address}?${queryOf({ path })}"><bdi>${name}</bdi></a></li>`
  }
  return html`<li><a href="${address}/file?${queryOf({ path })}" download><bdi>${name}</bdi></a> <span>${sizeText(size)}</span></li>`
}

function shownPicture(address: string, { path, name }: ShownEntry): Html {
  const source = `${address}/file?${queryOf({ path })}&inline`
  return html`<li><a href="${source}" target="_blank" rel="noopener"><img src="${source}" alt="${name}" loading="lazy"></a></li>`
}

/** Links to the parent folders, up to the shared folder. */
function crumbs(address: string, share: Share, path: string): Html {
  const above = path.split('/').slice(0, -2)
  const links = above.map((segment, index) => {
    const query = queryOf({ path: `${above.slice(0, index + 1).join('/')}/` })
    return html` / <a href="${address}?${query}"><bdi>${shownName(segment)}</bdi></a>`
  })
  const top = shownName(nameOf(share.path) || share.bucket)
  return html`<nav class="crumbs" aria-label="Parent folders"><a href="${address}"><bdi>${top}</bdi></a>${links}</nav>`
}

function queryOf(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString()
}
