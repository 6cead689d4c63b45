import { randomInt } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ObjectName } from '../../storage/drives/drive.ts'
import { DriveError } from '../../storage/drives/drive-error.ts'
import { isLegalKey } from '../../storage/drives/kit/names/key-path.ts'
import { isUsedUp, type Share, shareOf, sharesBase } from './share.ts'
import { factsOf, type Html, html, type SharePage } from './share-pages.ts'
import { nameOf, refusals, ShareRefusal, shownName } from './share-texts.ts'
import { countView } from './shared-files.ts'
import { fieldOf } from './shared-object.ts'
import type { VisitorTexts } from './texts/en.ts'
import { sizeText, textsFor } from './texts/visitor-texts.ts'
import type { ShareHandlerParts, Visit, VisitReply } from './visit.ts'

/** How many numbered names are tried before a random one, so that a file costs few requests. */
const maxLooks = 3
/** AWS, "Amazon S3 multipart upload limits": the largest object. */
const maxObjectBytes = 5 * 1024 ** 4
const plainType = /^[\w.+-]+\/[\w.+-]+$/

/**
 * Files that are being received, by share. They count toward the limits, in addition to what the database has
 * counted. They are kept in memory, so that a killed process leaves nothing reserved. Each process knows only its
 * own, and the database decides at the end.
 */
const inProgress = new Map<string, { uses: number; bytes: number }>()

/** Answers visitors of an upload link, who learn nothing about the folder. @throws ShareRefusal */
export async function answerDrop(visit: Visit, parts: ShareHandlerParts): Promise<VisitReply> {
  const { request, share, token, rest } = visit
  const { method } = request
  if (rest === '' && (method === 'GET' || method === 'HEAD')) {
    if (isUsedUp(share)) throw new ShareRefusal(refusals.full)
    await countView(visit, parts)
    return dropPage(textsFor(request), token, share)
  }
  if (method !== 'PUT' || rest.length < 2) {
    throw new ShareRefusal(refusals.method, { allow: rest.length < 2 ? 'GET, HEAD' : 'PUT' })
  }
  const length = request.headers['content-length']
  const name = nameOfPath(rest.slice(1))
  if (length === undefined) throw new ShareRefusal(refusals.length)
  const size = Number(length)
  if (share.types.length > 0 && !share.types.includes(extensionOf(name))) {
    throw new ShareRefusal(refusals.type)
  }
  if (size > (share.maxFileBytes || maxObjectBytes)) throw new ShareRefusal(refusals.large)
  return receive(visit, name, size, parts)
}

/**
 * Writes a visitor's file under a free name and then counts it. A process that is killed in between leaves the file
 * uncounted.
 *
 * @param size the declared size. It reserves nothing: only bytes that have arrived count.
 */
async function receive(
  visit: Visit,
  name: string,
  size: number,
  parts: ShareHandlerParts,
): Promise<VisitReply> {
  const { request, share } = visit
  const { table, drive, now, onFailure } = parts
  const { shareId, bucket, uses, bytes } = share
  const others = inProgress.get(shareId) ?? { uses: 0, bytes: 0 }
  const withOthers = () => ({ ...share, uses: uses + others.uses, bytes: bytes + others.bytes })
  if (isUsedUp(withOthers(), size)) throw new ShareRefusal(refusals.full)
  inProgress.set(shareId, others)
  others.uses += 1
  let arrived = 0
  const take = (count: number): void => {
    if (isUsedUp({ ...withOthers(), maxUses: 0 }, count)) throw new ShareRefusal(refusals.full)
    arrived += count
    others.bytes += count
  }
  const beganAtMs = now()
  let key: string
  let stored: Stored
  try {
    key = await freeKey(share, name, parts)
    stored = await put(visit, { key, size, take }, parts)
  } finally {
    others.uses -= 1
    others.bytes -= arrived
    if (others.uses === 0) inProgress.delete(shareId)
  }
  const isCounted = await table.count(shareId, size, beganAtMs).catch((error) => {
    onFailure(error, request.id)
    // The file is stored, so the visitor must not send it again.
    return true
  })
  if (!isCounted) {
    await removeAgain(drive, { bucket, key }, stored)
    throw new ShareRefusal(refusals.full)
  }
  // The reply does not contain the name, which would reveal whether another file has it.
  const headers = [['Content-Type', 'text/plain; charset=utf-8']] as const
  return { status: 201, headers, body: 'Received.\n', logFields: { key } }
}

interface Incoming {
  readonly key: string
  readonly size: number
  /** Counts bytes that have arrived. @throws ShareRefusal if they exceed a limit */
  readonly take: (bytes: number) => void
}

interface Stored {
  readonly etag: string
  /** '' in a bucket without versions. */
  readonly versionId: string
}

/** Leaves no version, unless the bucket locks what is written: then it is deleted as other locked objects are. */
async function removeAgain(
  drive: ShareHandlerParts['drive'],
  { bucket, key }: ObjectName,
  { etag, versionId }: Stored,
): Promise<void> {
  const newest = { ifMatch: [etag] }
  if (versionId === '') return void (await drive.remove(bucket, key, newest))
  try {
    await drive.remove(bucket, key, { versionId })
  } catch (error) {
    if (!(error instanceof DriveError) || error.kind !== 'locked') throw error
    await drive.remove(bucket, key, newest)
  }
}

/** @throws ShareRefusal if the file is not stored */
async function put(
  { request, share }: Visit,
  { key, size, take }: Incoming,
  { table, makers }: ShareHandlerParts,
): Promise<Stored> {
  async function* checked(): AsyncGenerator<Buffer> {
    // The connection must stay open for the reply.
    for await (const chunk of request.body.iterator({ destroyOnReturn: false })) {
      take(chunk.length)
      yield chunk
    }
    // Other processes may have received files in the meantime. This file is not published before its body ends.
    const row = await table.find(share.tokenHash).catch(() => undefined)
    if (row !== undefined && isUsedUp(shareOf(row), size)) throw new ShareRefusal(refusals.full)
  }
  const body = Readable.from(checked(), { objectMode: false })
  // The body may fail after its reader is gone.
  body.on('error', () => undefined)
  const type = request.headers['content-type'] ?? ''
  const headers = {
    'content-length': String(size),
    'if-none-match': '*',
    ...(plainType.test(type) && { 'content-type': type }),
  }
  const reply = await makers.send(share, { method: 'PUT', key, headers, body }, request)
  body.destroy()
  if (reply.status === 200) {
    const etag = fieldOf(reply.headers, 'etag').replaceAll('"', '')
    return { etag, versionId: fieldOf(reply.headers, 'x-amz-version-id') }
  }
  if (body.errored instanceof ShareRefusal) throw body.errored
  throw refusalOf(reply.status, String(reply.logFields?.code ?? reply.status))
}

/** Another visitor may take the name before the file is published; then the file is refused. */
async function freeKey(
  { bucket, path }: Share,
  name: string,
  { drive }: ShareHandlerParts,
): Promise<string> {
  for (let number = 1; ; number++) {
    // If the first few names are taken, a random one is almost certainly free.
    const isLast = number > maxLooks
    const key = path + numberedName(name, isLast ? randomInt(number, 10 ** 9) : number)
    if (!isLegalKey(key)) throw new ShareRefusal(refusals.name)
    if (isLast || (await drive.head(bucket, key)) === undefined) return key
  }
}

function refusalOf(status: number, reason: string): ShareRefusal {
  const { taken, revoked, large, away } = refusals
  const refusal = { 403: revoked, 409: taken, 412: taken, 400: away, 413: large }[status] ?? away
  return new ShareRefusal(refusal, { reason })
}

function nameOfPath(encoded: string): string {
  try {
    return safeName(decodeURIComponent(encoded))
  } catch {
    throw new ShareRefusal(refusals.name)
  }
}

/** The page of an upload link. Its script is web/src/share-page/drop.ts. */
function dropPage(texts: VisitorTexts, token: string, share: Share): SharePage {
  const { types } = share
  const name = shownName(nameOf(share.path) || share.bucket)
  const heading =
    share.title === ''
      ? html`${texts.sendTo} <bdi>${name}</bdi>`
      : html`<bdi>${shownName(share.title)}</bdi>`
  const accept = types.map((type) => `.${type}`).join(',')
  return {
    title: share.title === '' ? `${texts.sendTo} ${name}` : shownName(share.title),
    body: html`<p class="kind">${texts.uploadLink}</p>
<h1>${heading}</h1>
<p class="facts">${limitsOf(texts, share)}${factsOf(texts, { ...share, maxUses: 0 })}</p>
<noscript><p class="mistake">${texts.needsScript}</p></noscript>
<form class="drop" data-drop="${sharesBase}${token}/" data-largest="${share.maxFileBytes}">
<label for="files">${texts.chooseFiles}</label>
<input id="files" type="file" multiple${types.length > 0 && html` accept="${accept}"`}>
</form>
<ul class="entries" id="sent" aria-live="polite"></ul>`,
  }
}

function limitsOf(
  texts: VisitorTexts,
  { types, maxFileBytes, maxBytes, bytes, maxUses, uses }: Share,
): Html {
  const limits = [
    types.length > 0 && texts.only(types.join(', ')),
    maxFileBytes > 0 && texts.upTo(sizeText(maxFileBytes, texts)),
    maxBytes > 0 && texts.left(sizeText(Math.max(0, maxBytes - bytes), texts)),
    maxUses > 0 && texts.filesLeft(maxUses - uses),
  ].filter((text) => text !== false)
  return html`${limits.join(' · ') || texts.othersCannotSee}`
}

/** Bytes of UTF-8. Every file system accepts a name of this length plus a number. */
const maxBytes = 200
/** Invisible characters, and characters that some systems do not allow in names. */
const unsafe = /[\p{Cc}\p{Cf}\u2028\u2029<>:"|?*]/gu
/** Device names on Windows. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/**
 * The name under which a visitor's file is stored: the part after the last slash, without invisible characters,
 * characters that some systems do not allow, and the leading dot of a hidden file.
 */
export function safeName(given: string): string {
  const base = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1)
  const plain = base.toWellFormed().normalize('NFC').replace(unsafe, '_')
  const name = withoutEnds(plain) || 'file'
  return shortened(device.test(name) ? `_${name}` : name)
}

/** `photo (2).jpg`; the name itself for 1. */
export function numberedName(name: string, number: number): string {
  if (number === 1) return name
  const [stem, extension] = splitExtension(name)
  return `${stem} (${number})${extension}`
}

/** The extension of a name in lower case, without the dot. */
export function extensionOf(name: string): string {
  return splitExtension(name)[1].slice(1).toLowerCase()
}

/** Removes dots and white space at both ends. */
function withoutEnds(text: string): string {
  const isEnd = (character: string | undefined) => character === '.' || character?.trim() === ''
  let [start, end] = [0, text.length]
  while (start < end && isEnd(text[start])) start += 1
  while (end > start && isEnd(text[end - 1])) end -= 1
  return text.slice(start, end)
}

function shortened(name: string): string {
  const [stem, extension] = splitExtension(name)
  const kept = Buffer.byteLength(extension) <= maxBytes / 4 ? extension : ''
  const characters = [...(kept === '' ? name : stem)].slice(0, maxBytes)
  while (Buffer.byteLength(characters.join('') + kept) > maxBytes) characters.pop()
  return characters.join('') + kept
}

function splitExtension(name: string): readonly [stem: string, extension: string] {
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)]
}
