import {
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3'
import { compareKeys, keyBefore } from '../../../../platform/text/key-order.ts'
import type { Entry, EntryCursor, ListQuery } from '../../listed-entry.ts'
import type { StoreContext } from '../probe/probe.ts'
import { bareEtag } from '../requests/store.ts'
import type { StorePlace } from '../requests/store-names.ts'
import { secondOf } from './heads.ts'

/** The maximum of a page (API reference, ListObjectsV2). */
const maxKeys = 1000
/** If the prefix is itself a key, MinIO reports a page of one key as the last page. */
const minKeys = 2
const lastCharacter = '\u{10ffff}'

/** The store's own listing: a page costs as much as a page of the store. */
export class StoreCursor implements EntryCursor {
  readonly #context: StoreContext
  readonly #bucket: string
  readonly #query: ListQuery
  readonly #place: StorePlace
  /** Entries of the store's page that were not returned yet. */
  #ahead: Entry[] = []
  /** The listings still to request. Undefined at the beginning and after a seek. */
  #steps: ListStep[] | undefined
  /** The continuation token of the first step. */
  #token: string | undefined
  /** The store is asked for keys after this one. */
  #after: string
  /** The folder that `after` points into, until it has been checked. */
  #entered: string | undefined
  /** Entries before this are skipped. */
  #from = ''
  /** The last key of the store's page. */
  #last = ''
  #hasEnded = false

  constructor(context: StoreContext, bucket: string, query: ListQuery) {
    this.#context = context
    this.#bucket = bucket
    this.#query = query
    this.#place = context.names.placeOf(bucket)
    const folder = folderAround(query)
    // Some stores list a folder that `after` points into, some do not: it is skipped here and checked separately.
    this.#after = folder === undefined ? query.after : folder + lastCharacter
    this.#entered = folder === query.after ? undefined : folder
  }

  async next(limit: number): Promise<Entry[]> {
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
      ContinuationToken: this.#token,
    })
    this.#token = token
    if (token === undefined) this.#steps.shift()
    this.#hasEnded = this.#steps.length === 0
    this.#last = entries.at(-1)?.key ?? this.#last
    this.#ahead = entries.filter((entry) => this.#isWanted(entry))
  }

  /** The folder as an entry, if it has a key after `after`. */
  async #lookInto(folder: string): Promise<Entry[]> {
    if (compareKeys(folder, this.#from) < 0) return []
    for (const step of await this.#stepsFrom(folder, this.#query.after)) {
      const { entries } = await this.#ask(step, { MaxKeys: minKeys })
      if (entries.length > 0) return [{ kind: 'folder', key: folder }]
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

  /** Reads one page. @returns its entries, and the token of the next page, which is undefined after the last page */
  async #ask(
    { prefix, after, isKey = false }: ListStep,
    query: PageQuery,
  ): Promise<{ readonly entries: Entry[]; readonly token: string | undefined }> {
    const isFirst = query.ContinuationToken === undefined
    const page = await this.#request({ prefix, after: isFirst ? after : '', ...query })
    const entries = entriesOf(page, this.#place.prefix)
    if (isKey) return { entries: entries.filter(({ key }) => key === prefix), token: undefined }
    return { entries, token: page.IsTruncated ? page.NextContinuationToken : undefined }
  }

  async #request({ prefix, after, ...query }: PageRequest): Promise<ListObjectsV2CommandOutput> {
    const { store, probe } = this.#context
    const { prefix: folder, Bucket } = this.#place
    // If `after` is before the prefix, Garage ends the page there.
    const isWithin = after !== '' && compareKeys(after, prefix) >= 0
    if (isWithin) await probe.require(this.#bucket, 'startAfter')
    const command = new ListObjectsV2Command({
      ...{ Bucket, Prefix: folder + prefix, EncodingType: 'url', ...query },
      ...(isWithin && { StartAfter: folder + after }),
    })
    return await store.send(command)
  }

  /** Excludes the bucket's own folder, the probe, what a store adds to the prefix, and folders before the start. */
  #isWanted({ key }: Entry): boolean {
    if (key === '' || this.#context.names.isOwn(key)) return false
    if (!key.startsWith(this.#query.prefix)) return false
    return compareKeys(key, this.#query.after) > 0 && compareKeys(key, this.#from) >= 0
  }
}

type PageQuery = Pick<ListObjectsV2CommandInput, 'MaxKeys' | 'Delimiter' | 'ContinuationToken'>

interface PageRequest extends PageQuery {
  readonly prefix: string
  readonly after: string
}

/** The folder that `after` is in, or is itself, if folders are listed. */
function folderAround({ prefix, after, delimiter }: ListQuery): string | undefined {
  if (delimiter === undefined || !after.startsWith(prefix)) return undefined
  const end = after.indexOf(delimiter, prefix.length)
  return end < 0 ? undefined : after.slice(0, end + 1)
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

/** Encoded like a form: a space may be a plus. */
function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** One listing to request from the store. */
export interface ListStep {
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
