import libheif from 'libheif-js/libheif-wasm/libheif.js?url'
import heicScript from './heic/heic-worker.ts?worker&url'
import pdfScript from './pdf/pdf-worker.ts?worker&url'
import type { ThumbnailKind } from './thumbnail-kind.ts'
import tiffScript from './tiff/tiff-worker.ts?worker&url'
import PictureWorker from './worker/picture-worker.ts?worker&inline'

/** A frame of a video is scaled down by the thread of pictures. */
export type ThreadKind = Exclude<ThumbnailKind, 'video'>

/** The decoders that few folders need are files of their own. libheif stays one that can be replaced, as its license demands. */
const scripts: Readonly<Record<Exclude<ThreadKind, 'image'>, readonly string[]>> = {
  tiff: [tiffScript],
  heic: [libheif, heicScript],
  pdf: [pdfScript],
}

/** A thread that has nothing to do ends after this time, in milliseconds. */
const idleMs = 5_000

/** Threads without work, with the timers that end them. The caller limits how many work at a time. */
const idle = new Map<Worker, { kind: ThreadKind; ending: ReturnType<typeof setTimeout> }>()

/** A thread of this kind, which does nothing else until it is given back. @throws if its script cannot be loaded */
export async function takeThread(kind: ThreadKind): Promise<Worker> {
  for (const [worker, one] of idle) {
    if (one.kind !== kind) continue
    clearTimeout(one.ending)
    idle.delete(worker)
    return worker
  }
  return kind === 'image' ? new PictureWorker() : newWorker(scripts[kind])
}

export function giveBack(worker: Worker, kind: ThreadKind): void {
  const end = () => {
    idle.delete(worker)
    worker.terminate()
  }
  idle.set(worker, { kind, ending: setTimeout(end, idleMs) })
}

/** The policy of the page allows workers only from blobs (src/dashboard/web-app/page-policy.ts). */
async function newWorker(parts: readonly string[]): Promise<Worker> {
  const script = await Promise.all(parts.map(textOf))
  const url = URL.createObjectURL(new Blob(script, { type: 'text/javascript' }))
  try {
    return new Worker(url)
  } finally {
    // The worker has its script: the fetch has begun with the constructor (HTML, "run a worker").
    URL.revokeObjectURL(url)
  }
}

async function textOf(path: string): Promise<string> {
  const reply = await fetch(path)
  if (!reply.ok) throw new Error(`status ${reply.status}`)
  return `${await reply.text()}\n`
}
