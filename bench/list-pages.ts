import { sendRequest } from './load.ts'
import type { RunningServer } from './servers.ts'

export interface Page {
  readonly milliseconds: number
  readonly keys: number
  readonly lastKey: string
  readonly isTruncated: boolean
}

/** One page of ListObjectsV2: the keys behind `startAfter`. */
export async function fetchPage(server: RunningServer, startAfter: string): Promise<Page> {
  const query = `list-type=2&start-after=${encodeURIComponent(startAfter)}`
  const startedAtMs = performance.now()
  const reply = await sendRequest(server, { method: 'GET', query })
  const xml = await reply.text()
  const milliseconds = performance.now() - startedAtMs
  const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)]
  if (reply.status !== 200 || keys.length === 0)
    throw new Error(`${reply.status}: ${xml.slice(0, 500)}`)
  return {
    milliseconds,
    keys: keys.length,
    lastKey: keys.at(-1)?.[1] ?? '',
    isTruncated: xml.includes('<IsTruncated>true</IsTruncated>'),
  }
}

/** All pages, one behind the other. */
export async function listAll(server: RunningServer): Promise<{ keys: number; pages: number }> {
  let keys = 0
  let pages = 0
  let after = ''
  for (;;) {
    const page = await fetchPage(server, after)
    keys += page.keys
    pages++
    if (!page.isTruncated) return { keys, pages }
    after = page.lastKey
  }
}
