import { ListObjectsV2Command, type ListObjectsV2CommandOutput } from '@aws-sdk/client-s3'
import { compareKeys, keyBefore } from '../../../../platform/text/key-order.ts'
import type { Entry, EntryCursor, FolderEntry, ListQuery } from '../../listed-entry.ts'
import {
  nullVersionId,
  type VersionCursor,
  type VersionEntry,
  type VersionQuery,
} from '../../versions.ts'
import type { StoreContext } from '../probe/probe.ts'
import { bareEtag, secondOf } from '../requests/store.ts'
import type { StorePlace } from '../requests/store-names.ts'
import { decoded, type PageAsked, type StorePage, versionPage } from './version-pages.ts'

/** The maximum of a page (API reference, ListObjectsV2). */
const maxKeys = 1000
/** If the prefix is itself a key, MinIO reports a page of one key as the last page. */
const minKeys = 2
const lastCharacter = '\u{10ffff}'

type AskPage<Item> = (context: StoreContext, asked: PageAsked) => Promise<StorePage<Item>>

/** As Drive.list. */
export function listObjects(context: StoreContext, bucket: string, query: ListQuery): EntryCursor {
  return new StoreCursor(context, bucket, query, objectPage)
}

/** As Drive.listVersions. In a bucket that never had versions, also over a store that has them, only the objects. */
export function listVersions(
  context: StoreContext,
  bucket: string,
  query: VersionQuery,
): VersionCursor {
  const isVersioned = context.versioningOf(bucket) !== undefined
  return new StoreCursor(context, bucket, query, isVersioned ? versionPage : nullPage)
}

/** A listing of the store itself: a page costs as much as a page of the store. */
class StoreCursor<Item extends Pick<Entry, 'kind' | 'key'>> {
  readonly #context: StoreContext
  readonly #bucket: string
  readonly #query: VersionQuery
  readonly #askPage: AskPage<Item | FolderEntry>
  readonly #place: StorePlace
  /** Entries of the store's page that were not returned yet. */
  #ahead: (Item | FolderEntry)[] = []
  /** The listings still to request. Undefined at the beginning and after a seek. */
  #steps: ListStep[] | undefined
  /** The continuation token of the first step. */
  #token: unknown
  /** The store is asked for keys after this one. */
  #after: string
  /** The folder that `after` points into, until it has been checked. */
  #entered: string | undefined
  /** Entries before this are skipped. */
  #from = ''
  /** The last key of the store's page. */
  #last = ''
  #hasEnded = false

  constructor(
    context: StoreContext,
    bucket: string,
    query: VersionQuery,
    askPage: AskPage<Item | FolderEntry>,
  ) {
    this.#askPage = askPage
    this.#context = context
    this.#bucket = bucket
    this.#query = query
    this.#place = context.names.placeOf(bucket)
    const folder = folderAround(query)
    // Some stores list a folder that `after` points into, some do not: it is skipped here and checked separately.
    this.#after = folder === undefined ? query.after : folder + lastCharacter
    this.#entered = folder === query.after ? undefined : folder
  }

  async next(limit: number): Promise<(Item | FolderEntry)[]> {
    const folder = this.#entered
    this.#entered = undefined
    const entered = folder === undefined ? [] : await this.#lookInto(folder)
    while (this.#ahead.length === 0 && !this.#hasEnded) await this.#readPage(limit)
    this.#ahead.unshift(...entered)
    return this.#ahead.splice(0, limit)
  }

  /** From the store's reply, so that a full page needs no second request. */
  get hasMore(): boolean {
    return this.#ahead.length > 0 || this.#token !== undefined
  }

  seek(key: string): void {
    if (compareKeys(key, this.#from) <= 0) return
    this.#from = key
    this.#ahead = this.#ahead.filter((entry) => compareKeys(entry.key, key) >= 0)
    const before = keyBefore(key)
    const isInPage = this.#ahead.length > 0 || compareKeys(key, this.#last) <= 0
    if (isInPage || compareKeys(before, this.#after) <= 0) return
    this.#after = before
    this.#steps = undefined
    this.#token = undefined
  }

  async #readPage(limit: number): Promise<void> {
    const { prefix, delimiter } = this.#query
    this.#steps ??= await this.#stepsFrom(prefix, this.#after, delimiter)
    const [step = { prefix, after: '' }] = this.#steps
    const wanted = step.isKey === true ? minKeys : Math.max(limit, minKeys)
    const { entries, token } = await this.#ask(step, {
      MaxKeys: Math.min(wanted, maxKeys),
      Delimiter: delimiter,
      token: this.#token,
    })
    this.#token = token
    if (token === undefined) this.#steps.shift()
    this.#hasEnded = this.#steps.length === 0
    this.#last = entries.at(-1)?.key ?? this.#last
    this.#ahead = entries.filter((entry) => this.#isWanted(entry))
  }

  /** The folder as an entry, if it has a key after `after`. */
  async #lookInto(folder: string): Promise<FolderEntry[]> {
    if (compareKeys(folder, this.#from) < 0) return []
    for (const step of await this.#stepsFrom(folder, this.#query.after)) {
      let token: unknown
      do {
        const page = await this.#ask(step, { MaxKeys: minKeys, token })
        const isThere = page.entries.some((entry) => this.#isBehindStart(entry))
        if (isThere) return [{ kind: 'folder', key: folder }]
        token = page.token
      } while (token !== undefined)
    }
    return []
  }

  async #stepsFrom(
    prefix: string,
    after: string,
    delimiter?: ListQuery['delimiter'],
  ): Promise<ListStep[]> {
    if (!isInFolder(prefix, after)) return [{ prefix, after }]
    const { startInFolder } = await this.#context.probe.abilities(this.#bucket)
    return startInFolder ? [{ prefix, after }] : stepsAfter(prefix, after, delimiter)
  }

  /** Reads one page. */
  async #ask(
    { prefix, after, isKey = false }: ListStep,
    query: Pick<PageAsked, 'MaxKeys' | 'Delimiter' | 'token'>,
  ): Promise<StorePage<Item | FolderEntry>> {
    const { prefix: folder, Bucket } = this.#place
    // If `after` is before the prefix, Garage ends the page there.
    const isWithin = after !== '' && compareKeys(after, prefix) >= 0
    if (isWithin && query.token === undefined) {
      await this.#context.probe.require(this.#bucket, 'startAfter')
    }
    const { afterVersionId } = after === this.#query.after ? this.#query : {}
    const { entries, token } = await this.#askPage(this.#context, {
      ...{ Bucket, Prefix: folder + prefix, folder, ...query },
      ...(isWithin ? { after, afterVersionId } : { after: '' }),
    })
    if (!isKey) return { entries, token }
    const ofKey = entries.filter(({ key }) => key === prefix)
    // A key may have more versions than a page.
    return { entries: ofKey, token: ofKey.length === entries.length ? token : undefined }
  }

  /** Excludes the bucket's own folder, the probe, what a store adds to the prefix, and folders before the start. */
  #isWanted(entry: Item | FolderEntry): boolean {
    const { key } = entry
    if (key === '' || this.#context.names.isOwn(key)) return false
    if (!key.startsWith(this.#query.prefix)) return false
    return this.#isBehindStart(entry) && compareKeys(key, this.#from) >= 0
  }

  /** versitygw also lists the versions of the key at which a listing begins. */
  #isBehindStart({ kind, key }: Item | FolderEntry): boolean {
    const { after, afterVersionId } = this.#query
    const isRest = afterVersionId !== undefined && kind === 'object' && key === after
    return isRest || compareKeys(key, after) > 0
  }
}

/** The folder that `after` is in, or is itself, if folders are listed. */
function folderAround({ prefix, after, delimiter }: ListQuery): string | undefined {
  if (delimiter === undefined || !after.startsWith(prefix)) return undefined
  const end = after.indexOf(delimiter, prefix.length)
  return end < 0 ? undefined : after.slice(0, end + 1)
}

/** A page of ListObjectsV2. */
async function objectPage(
  { store }: StoreContext,
  { Bucket, Prefix, folder, after, afterVersionId: _, token, ...query }: PageAsked,
): Promise<StorePage<Entry>> {
  const command = new ListObjectsV2Command({
    ...{ Bucket, Prefix, EncodingType: 'url', ...query },
    ...(token === undefined ? {} : { ContinuationToken: token as string }),
    ...(token === undefined && after !== '' && { StartAfter: folder + after }),
  })
  const page = await store.send(command)
  const next = page.IsTruncated ? page.NextContinuationToken : undefined
  return { entries: entriesOf(page, folder), token: next }
}

/** The objects as the versions `null`. */
async function nullPage(
  context: StoreContext,
  asked: PageAsked,
): Promise<StorePage<VersionEntry | FolderEntry>> {
  const { entries, token } = await objectPage(context, asked)
  const version = { versionId: nullVersionId, isLatest: true, isDeleteMarker: false }
  const versions = entries.map((entry) =>
    entry.kind === 'folder' ? entry : { ...entry, ...version },
  )
  return { entries: versions, token }
}

function entriesOf(page: ListObjectsV2CommandOutput, folder: string): Entry[] {
  const isEncoded = page.EncodingType === 'url'
  const keyOf = (text = '') => (isEncoded ? decoded(text) : text).slice(folder.length)
  const objects = (page.Contents ?? []).map(
    ({ Key, Size = 0, LastModified, ETag, StorageClass = 'STANDARD' }): Entry => ({
      ...{ kind: 'object', key: keyOf(Key), size: Size, modifiedAtMs: secondOf(LastModified) },
      etag: bareEtag(ETag),
      ...(StorageClass !== 'STANDARD' && { storageClass: StorageClass }),
    }),
  )
  const folders = (page.CommonPrefixes ?? []).map(
    ({ Prefix }): Entry => ({ kind: 'folder', key: keyOf(Prefix) }),
  )
  if (folders.length === 0) return objects
  return [...objects, ...folders].sort((one, other) => compareKeys(one.key, other.key))
}

/** One listing to request from the store. */
interface ListStep {
  readonly prefix: string
  /** Only keys after this one. */
  readonly after: string
  /** Whether only the key that equals the prefix is wanted. */
  readonly isKey?: boolean
}

/** Whether `after` is in a folder below the prefix. */
function isInFolder(prefix: string, after: string): boolean {
  return after.startsWith(prefix) && after.includes('/', prefix.length)
}

/**
 * Listings of the keys after `after`, none of which starts inside a folder: the rest of its folder, then what follows that
 * folder in its parent, and so on. If a listing starts inside a folder, MinIO omits keys: it counts objects whose names
 * begin like the folder's for the page, although they come before it.
 *
 * @param after in a folder below the prefix
 * @param delimiter with `/`, the folder below the prefix is one entry, so that only what follows it is listed
 */
function stepsAfter(prefix: string, after: string, delimiter?: '/'): ListStep[] {
  const isOneEntry = delimiter !== undefined
  const slash = isOneEntry ? after.indexOf('/', prefix.length) : after.lastIndexOf('/')
  let folder = after.slice(0, slash + 1)
  const steps: ListStep[] = isOneEntry ? [] : [{ prefix: folder, after }]
  while (folder.length > prefix.length) {
    // After all keys in the folder: `0` is the character after `/`.
    const beyond = `${folder.slice(0, -1)}0`
    folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
    const around = folder.length > prefix.length ? folder : prefix
    steps.push({ prefix: beyond, after: '', isKey: true }, { prefix: around, after: beyond })
  }
  return steps
}
