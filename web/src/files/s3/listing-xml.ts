import { type Entry, type FileEntry, folderEntry } from '../entries/entry.ts'

/** The part of a DOM element that is read. */
export interface XmlElement {
  readonly localName: string
  readonly children: Iterable<XmlElement>
  readonly textContent: string | null
}

export interface ListingPage {
  /** Files and folders, without the marker of the folder. */
  readonly entries: readonly Entry[]
  /** Every key on the page. */
  readonly keys: readonly string[]
  /** The position of the next page; undefined on the last page. */
  readonly continuationToken: string | undefined
}

/**
 * A ListBucketResult of ListObjectsV2 with encoding-type=url
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html).
 *
 * @throws TypeError for any other document.
 */
export function readListing(root: XmlElement, prefix: string): ListingPage {
  if (root.localName !== 'ListBucketResult') {
    throw new TypeError(`Expected a ListBucketResult, got ${root.localName}.`)
  }
  const folders: Entry[] = []
  const files: FileEntry[] = []
  let token: string | undefined
  for (const element of root.children) {
    if (element.localName === 'CommonPrefixes') {
      folders.push(folderEntry(decode(fieldsOf(element).get('Prefix')), prefix))
    } else if (element.localName === 'Contents') {
      files.push(fileOf(element, prefix))
    } else if (element.localName === 'NextContinuationToken') {
      token = element.textContent ?? undefined
    }
  }
  return {
    entries: [...folders, ...files.filter(({ key }) => key !== prefix)],
    keys: files.map(({ key }) => key),
    continuationToken: token,
  }
}

function fileOf(element: XmlElement, prefix: string): FileEntry {
  const fields = fieldsOf(element)
  const key = decode(fields.get('Key'))
  return {
    kind: 'file',
    key,
    name: key.slice(prefix.length),
    size: Number(fields.get('Size')),
    modifiedAtMs: Date.parse(fields.get('LastModified') ?? ''),
    etag: (fields.get('ETag') ?? '').replaceAll('"', ''),
  }
}

export function fieldsOf(element: XmlElement): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const child of element.children) fields.set(child.localName, child.textContent ?? '')
  return fields
}

/** encoding-type=url: a plus may encode a space; a literal plus is always encoded. */
function decode(text = ''): string {
  return decodeURIComponent(text.replaceAll('+', '%20'))
}
