import type {
  ArchiveBody,
  ArchiveReply,
} from '../../../../src/dashboard/management/management-schemas.ts'
import { attachmentNamed } from '../../../../src/platform/text/percent-encoding.ts'
import { request } from '../../api/client.ts'
import { fileWorkTexts } from '../../texts/file-work.ts'
import { failureOf } from '../../ui/messages.ts'
import { saveUrl } from '../../ui/save-text.ts'
import { type Entry, parentOf } from '../entries/entry.ts'
import type { ObjectAddress } from '../entries/object-address.ts'
import { objectUrl } from './bucket-client.ts'

/** How long a browser can resume the download of a file: as long as a session. */
const resumableSeconds = 12 * 60 * 60

/**
 * Makes the browser save a file under its name, or a folder or several of its entries as a ZIP file.
 *
 * @param versionId of a file; undefined: the current version
 */
export async function download(
  bucket: string,
  entries: readonly Pick<Entry, 'kind' | 'key' | 'name'>[],
  versionId?: string,
): Promise<void> {
  const [first] = entries
  if (first === undefined) return
  try {
    const isFile = entries.length === 1 && first.kind === 'file'
    saveUrl(
      isFile ? await fileUrl({ ...first, bucket, versionId }) : await archiveUrl(bucket, entries),
    )
  } catch (error) {
    failureOf(fileWorkTexts.download)(error instanceof Error ? error : new Error(String(error)))
  }
}

function fileUrl({ name, ...address }: ObjectAddress & Pick<Entry, 'name'>): Promise<string> {
  const query = { 'response-content-disposition': attachmentNamed(name) }
  return objectUrl(address, query, resumableSeconds)
}

/** Results of a search are in several folders. */
function commonFolder([first = '', ...others]: readonly string[]): string {
  let folder = first
  while (!others.every((other) => other.startsWith(folder))) folder = parentOf(folder)
  return folder
}

async function archiveUrl(bucket: string, entries: readonly Pick<Entry, 'key'>[]): Promise<string> {
  const prefix = commonFolder(entries.map(({ key }) => parentOf(key)))
  const names = entries.map(({ key }) => key.slice(prefix.length))
  const body: ArchiveBody = { bucket, prefix, names }
  const { url } = await request<ArchiveReply>('/-/api/archives', { method: 'POST', body })
  return url
}
