import { failureOf } from '../../ui/messages.ts'
import { saveUrl } from '../../ui/save-text.ts'
import type { Entry } from '../entries/entry.ts'
import { objectUrl } from './bucket-client.ts'
import { attachmentDisposition } from './content-disposition.ts'

/** Browsers drop downloads that start at the same moment. */
const apartMs = 400

/** Makes the browser save files one by one under their names. */
export async function downloadFiles(bucket: string, entries: readonly Entry[]): Promise<void> {
  try {
    for (const [index, { kind, key, name }] of entries.entries()) {
      if (kind === 'folder') continue
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, apartMs))
      const query = { 'response-content-disposition': attachmentDisposition(name) }
      saveUrl(await objectUrl({ bucket, key }, query))
    }
  } catch (error) {
    failureOf('The download could not be started')(
      error instanceof Error ? error : new Error(String(error)),
    )
  }
}
